#!/usr/bin/env bats
# Installed anywhere it works from anywhere, and goes away whole; the tarball is all that is needed.
bats_require_minimum_version 1.5.0

setup_file() {
    # a copy of what git knows and of what was built: the tree under test stays as it is
    export TREE=$BATS_FILE_TMPDIR/tree DEST=$BATS_FILE_TMPDIR/dest KG_DEVICE=host
    unset MAKEFLAGS MAKELEVEL
    mkdir -p "$TREE"
    (cd "$KG_TOP" && git ls-files -z | xargs -0 tar cf - --ignore-failed-read 2>/dev/null) | tar xf - -C "$TREE"
    mkdir -p "$TREE/build"
    cp -a "$KG_BUILD/bin" "$KG_BUILD/libexec" "$TREE/build"
    # with the objects and archives make knows that nothing is to be built
    cp -a "$KG_BUILD/obj" "$KG_BUILD/lib" "$TREE/build"
    find "$TREE/build" -type d -o -print0 | xargs -0 touch
    find "$TREE/build/lib" -name '*.a' -exec touch {} +
    find "$TREE/build/bin" "$TREE/build/libexec" -type f -exec touch {} +
    make -C "$TREE" install ${KG_SANITIZED:+SANITIZE=1} BUILD=build DESTDIR="$DEST" PREFIX=/opt/kg >"$BATS_FILE_TMPDIR/log" 2>&1 ||
        { tail -n 20 "$BATS_FILE_TMPDIR/log"; return 1; }
    # what is installed must not lean on where it came from
    mv "$TREE/share" "$TREE/share.away"
    mv "$TREE/build" "$TREE/build.away"
}

setup() {
    bin=$DEST/opt/kg/bin
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "install puts programs, helpers, manuals, completions and shared files in their places" {
    for p in kg-compile kg-verify kg-profile kg-reward kg-advantage kg-sample kg-report; do
        [ -x "$bin/$p" ]
        [ -e "$DEST/opt/kg/share/man/man1/$p.1" ]
        [ -e "$DEST/opt/kg/share/bash-completion/completions/$p" ]
        [ -e "$DEST/opt/kg/share/fish/vendor_completions.d/$p.fish" ]
    done
    [ -e "$DEST/opt/kg/share/man/man7/kg.7" ]
    [ -e "$DEST/opt/kg/share/man/man5/kg-task.5" ]
    [ -e "$DEST/opt/kg/share/zsh/site-functions/_kg" ]
    [ -x "$DEST/opt/kg/libexec/kg/kg-init" ]
    [ -x "$DEST/opt/kg/share/kg/examples/demo" ]
    diff -r "$TREE/share.away/kg" "$DEST/opt/kg/share/kg"
}

@test "nothing of it is writable for others" {
    run find "$DEST" -perm /022 ! -type l
    [ -z "$output" ] || { echo "$output"; false; }
}

@test "the installed programs work from another folder, by path, by PATH and by a link" {
    cp "$TREE/share.away/kg/examples/row_softmax/fused_warp.cu" mine.cu
    "$bin/kg-compile" -t row_softmax mine.cu >compiled
    jq -e '.compiled' compiled
    PATH=$bin:$PATH kg-verify compiled | jq -e '.status == "PASSED"'
    ln -s "$bin/kg-verify" linked
    ./linked compiled | jq -e '.status == "PASSED"'
    "$bin/kg-profile" compiled | "$bin/kg-reward" -p demo --feedback >rewarded
    jq -e '.reward > 0 and (.feedback | length > 0)' rewarded
    "$bin/kg-sample" -q -p kg --mark rewarded | "$bin/kg-advantage" -q --baseline kept | "$bin/kg-report" >table
    grep -q '^row_softmax .*PASSED' table
    for p in kg-compile kg-verify; do
        run "$bin/$p" --env
        [[ "$output" != *"$KG_TOP"* ]] || { echo "$output"; false; }
        [[ "$output" != *"$TREE"* ]] || { echo "$output"; false; }
    done
}

@test "manuals are found where they were installed" {
    for page in kg kg-record kg-task kg-policy kg-verify; do
        MANPATH=$DEST/opt/kg/share/man run man -w "$page"
        [ "$status" = 0 ]
        [[ "$output" == "$DEST"/* ]]
    done
}

@test "a host-only build compiles, and says what it cannot do" {
    # one library, one program: HAVE_CUDA is a word of the compiler's command line only there
    mkdir h
    cp -a "$TREE/." h/
    rm -rf h/build.away
    mv h/share.away h/share
    make -C h CUDA_HOME=/nonexistent DEVELOPER=1 -j"$(nproc)" build/bin/kg-verify build/bin/kg-compile \
        build/libexec/kg/kg-worker build/libexec/kg/kg-init >log 2>&1 || { tail -n 20 log; false; }
    [ -z "$(find h/build -name '*.so')" ]
    run make -C h -n CUDA_HOME=/nonexistent all
    [[ "$output" != *kg-trace.so* ]]
    candidate=$(jq -nc --rawfile c "$KG_TOP/share/kg/tasks/vector_add.cu" '{task_id: "vector_add", kernel_code: $c}')
    run -3 --separate-stderr h/build/bin/kg-verify -d cuda <<<"$candidate"
    # shellcheck disable=SC2154 # set by run
    [[ "$stderr" == "kg-verify: "*CUDA* ]] || { echo "$stderr"; false; }
    h/build/bin/kg-verify -d host <<<"$candidate" | jq -e '.status == "PASSED"'
}

@test "the tarball has every file of the repository" {
    git -C "$KG_TOP" rev-parse HEAD >/dev/null 2>&1 || skip "no git repository"
    make -C "$KG_TOP" --no-print-directory dist BUILD="$BATS_TEST_TMPDIR/d" >name
    name=$(tail -n 1 name)
    tar tzf "$name" | grep -v '/$' | sed 's|^kg-[0-9.]*/||' | sort >in_it
    git -C "$KG_TOP" ls-tree -r --name-only HEAD | sort >in_git
    diff in_git in_it
    mkdir u
    tar xzf "$name" -C u
    make -C u/kg-* -n all unit >/dev/null
}

# the last one: nothing is there for others afterwards
@test "uninstall leaves nothing" {
    mv "$TREE/share.away" "$TREE/share"
    mv "$TREE/build.away" "$TREE/build"
    make -C "$TREE" uninstall DESTDIR="$DEST" PREFIX=/opt/kg >/dev/null
    run find "$DEST" ! -type d
    [ -z "$output" ] || { echo "$output"; false; }
}
