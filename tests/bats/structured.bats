#!/usr/bin/env bats
# Tasks whose reference makes inputs (init_NAME) and says what is right (check): what the functions get
# and give, that they run as every other truth does, and that their faults are nobody else's.
bats_require_minimum_version 1.5.0

setup() {
    export KG_DEVICE=host
    cd "$BATS_TEST_TMPDIR" || return 1
}

# judge PROGRAM TASK SOURCE [OPTION ...]: what the record says of it
judge() {
    local program=$1 task=$2 source=$3
    shift 3
    bash -c 'set -o pipefail; kg-compile -q -t "$1" "$2" | "$3" -q "${@:4}" |
        jq -c "{status, error_message, correctness, speedup, verify, log: .compile.log}"' - "$task" "$source" "$program" "$@"
}

# ---- init_NAME

# a third of a, as float32 has it, and in 'half' what is left of float16; 'step' is no argument
pair_task() {
    cat <<'EOF'
task_id: pair
axes: {n: 2000, step: 7}
cases:
  - {n: 1}
  - {n: 333, step: 3}
  - {n: 50, a: same, third: same, half: same}
args:
  - {name: a, dtype: int32, shape: [n], init: pair}
  - {name: w, dtype: float32, shape: [n], init: randn}
  - {name: third, dtype: float32, shape: [n], init: pair}
  - {name: half, dtype: float16, shape: [n], init: pair, role: inout}
  - {name: y, dtype: float32, shape: [n], role: out}
  - {name: n, dtype: int32}
reference: |
  #include <stdint.h>
  /* a number that float16 has not, to see it rounded before anybody gets it */
  void init_pair(int *a, double *third, double *half, const int64_t *axes, uint64_t seed)
  {
      for (int64_t i = 0; i < axes[0]; i++) {
          if (a[i] || third[i] || half[i])
              *(volatile int *)0 = 1; /* not cleared */
          seed = seed * 6364136223846793005u + 1442695040888963407u;
          a[i] = (int)(seed >> 40) * (int)axes[1];
          third[i] = a[i] / 3.0;
          half[i] = 2049 + 2 * (double)(seed >> 63);
      }
  }
  void init_same(int *a, double *third, double *half, const int64_t *axes, uint64_t seed)
  {
      for (int64_t i = 0; i < axes[0]; i++) {
          a[i] = (int)(seed >> 44);
          third[i] = a[i] / 3.0;
          half[i] = 2051;
      }
  }
  void reference(const int *a, const double *w, const double *third, double *half, double *y, int n)
  {
      for (int i = 0; i < n; i++) {
          int right = third[i] == (float)(a[i] / 3.0) && (half[i] == 2048 || half[i] == 2052);
          y[i] = right ? w[i] : -1000;
          half[i] = right ? half[i] / 2 : -1000;
      }
  }
baseline: |
  #include <cuda_fp16.h>
  __global__ void f(const int *a, const float *w, const float *third, __half *half, float *y, int n)
  {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n)
          return;
      float h = __half2float(half[i]);
      bool right = third[i] == (float)(a[i] / 3.0) && (h == 2048 || h == 2052);
      y[i] = right ? w[i] : -1000;
      half[i] = __float2half(right ? h / 2 : -1000);
  }
  extern "C" void solve(const int *a, const float *w, const float *third, __half *half, float *y, int n)
  {
      f<<<(n + 63) / 64, 64>>>(a, w, third, half, y, n);
  }
EOF
}

# the baseline's source of a task in YAML
baseline_of() {
    sed -n '/^baseline: |/,$p' "$1" | sed '1d; s/^  //'
}

@test "init_NAME: arrays that belong together, rounded to their types, the same for all who get them" {
    pair_task >t.yaml
    baseline_of t.yaml >right.cu
    run judge kg-verify t.yaml right.cu
    echo "$output"
    jq -e '.status == "PASSED" and (.verify.checks.patterns | .first == 4 and .one_row_changed > 0)' <<<"$output"
    # the candidate sees it too: one that is right only if third and half were something else
    sed 's/h == 2052/h == 2051/' right.cu >wrong.cu
    run judge kg-verify t.yaml wrong.cu
    jq -e '.status == "INCORRECT_NUMERICAL"' <<<"$output"
}

@test "init_NAME: the same of the next call is other content, and a truth that was kept has its own again" {
    pair_task >t.yaml
    # the third of the first call for ever
    baseline_of t.yaml | sed 's/^extern "C".*/__device__ float old[2000];\n__global__ void keep(const int *a, int n) {\n    for (int i = 0; i < n; i++) old[i] = a[i] \/ 3.0;\n}\n__global__ void copy(float *t, const float *third, int n) {\n    for (int i = 0; i < n; i++) t[i] = old[i];\n}\n&/
        s/^    f<<<.*/    static float *t; static int of;\n    if (of != n) { keep<<<1, 1>>>(a, n); cudaMalloc((void **)\&t, n * 4); of = n; }\n    copy<<<1, 1>>>(t, third, n);\n    f<<<(n + 63) \/ 64, 64>>>(a, w, t, half, y, n);/' >kept.cu
    run judge kg-verify t.yaml kept.cu
    echo "$output"
    jq -e '.status == "INCORRECT_NUMERICAL"' <<<"$output"
    baseline_of t.yaml >right.cu
    for _ in 1 2; do # from the cache of truths
        run judge kg-profile t.yaml right.cu
        jq -e '.status == "PASSED"' <<<"$output"
    done
}

@test "init_NAME: where all inputs are made so, no row is changed, and every call is fresh all the same" {
    cat >t.yaml <<'EOF'
task_id: only
axes: {n: 100}
args:
  - {name: a, dtype: int64, shape: [n], init: walk}
  - {name: y, dtype: int64, shape: [n], role: out}
  - {name: n, dtype: int32}
reference: |
  #include <stdint.h>
  void init_walk(int64_t *a, const int64_t *axes, uint64_t seed)
  {
      for (int64_t i = 0; i < axes[0]; i++)
          a[i] = (int64_t)(seed = seed * 6364136223846793005u + 1442695040888963407u);
  }
  void reference(const int64_t *a, int64_t *y, int n)
  {
      for (int i = 0; i < n; i++)
          y[i] = ~a[i];
  }
baseline: |
  __global__ void f(const long long *a, long long *y, int n)
  {
      if (threadIdx.x < n)
          y[threadIdx.x] = ~a[threadIdx.x];
  }
  extern "C" void solve(const long long *a, long long *y, int n) { f<<<1, 128>>>(a, y, n); }
EOF
    baseline_of t.yaml >right.cu
    run judge kg-profile t.yaml right.cu
    echo "$output"
    jq -e '.status == "PASSED" and (.verify.checks.patterns | .one_row_changed == 0 and .same_address > 0
        and .new_address > 0)' <<<"$output"
    sed 's/{ f<<</{ static int calls; if (calls++) return; f<<</' right.cu >once.cu
    run judge kg-verify t.yaml once.cu
    jq -e '.status == "UNWRITTEN_OUTPUT"' <<<"$output"
}

@test "init_NAME that crashes or hangs is the reference's fault" {
    pair_task | sed 's|/\* a number.*|#define CRASH if (axes[0] == 333) *(volatile int *)8 = 1|
        s|^\(      \)for (int64_t i = 0; i < axes\[0\]; i++) {|\1CRASH;\n&|' >t.yaml
    baseline_of t.yaml >right.cu
    run judge kg-verify t.yaml right.cu
    echo "$output"
    jq -e '.status == "REFERENCE_ERROR" and .correctness == null
        and (.error_message | startswith("the reference failed in init_pair: ") and contains("signal 11"))' <<<"$output"
    pair_task | sed 's|/\* a number.*|#define HANG while (axes[0] == 333) seed++|
        s|^\(      \)for (int64_t i = 0; i < axes\[0\]; i++) {|\1HANG;\n&|' >t.yaml
    run judge kg-verify t.yaml right.cu --truth-timeout 1
    echo "$output"
    jq -e '.status == "REFERENCE_ERROR" and (.error_message | startswith("the reference failed in init_pair: "))' <<<"$output"
}

# ---- check

# even numbers to the front of x, in any order; bias is added to all, to see a scalar of the call
split_task() {
    cat <<'EOF'
task_id: split
axes: {n: 1000}
cases:
  - {n: 1}
  - {n: 40, x: "randint(0,3)"}
args:
  - {name: x, dtype: int32, shape: [n], init: "randint(0,1000)", role: inout}
  - {name: n_even, dtype: int32, shape: [1], role: out}
  - {name: n, dtype: int32}
  - {name: scale, dtype: float32, init: "uniform(1,2)"}
  - {name: s, dtype: float32, shape: [1], role: out}
reference: |
  void reference(int *x, int *n_even, int n, double scale, double *s)
  {
      int copy[1000];
      *n_even = 0;
      for (int i = 0; i < n; i++)
          if (x[i] % 2 == 0)
              copy[(*n_even)++] = x[i];
      for (int i = 0, at = *n_even; i < n; i++)
          if (x[i] % 2)
              copy[at++] = x[i];
      for (int i = 0; i < n; i++)
          x[i] = copy[i];
      *s = 3 * scale;
  }
  /* 1: the number is wrong; 2: the order; 3: not the same elements; 4: s */
  int check(const int *x, const int *n_even, int n, double scale, const double *s, const int *got,
            const int *got_even, const double *got_s)
  {
      int count[1000] = {0};
      if (*got_even != *n_even)
          return 1;
      for (int i = 0; i < n; i++) {
          if (got[i] < 0 || got[i] >= 1000 || (got[i] % 2 == 0) != (i < *n_even))
              return 2;
          count[x[i]]++;
          count[got[i]]--;
      }
      for (int i = 0; i < 1000; i++)
          if (count[i])
              return 3;
      return *s != 3 * scale || *got_s < 2.999 * scale || *got_s > 3.001 * scale ? 4 : 0;
  }
baseline: |
  __global__ void f(int *x, int *n_even, int n, float scale, float *s)
  {
      int i = 0, j = n - 1;
      while (i <= j)
          if (x[i] % 2 == 0) {
              i++;
          } else {
              int t = x[i];
              x[i] = x[j];
              x[j--] = t;
          }
      *n_even = i;
      *s = 3 * scale;
  }
  extern "C" void solve(int *x, int *n_even, int n, float scale, float *s)
  {
      f<<<1, 1>>>(x, n_even, n, scale, s);
  }
EOF
}

refused() { # expected status and number
    echo "$output"
    jq -e --arg status "$1" --arg text "refuses the answer: it returned $2" \
        '.status == $status and .correctness == false and (.error_message | endswith($text))' <<<"$output"
}

@test "check: gets inout arrays as they were, the reference's other outputs, scalars as double, the answer" {
    split_task >t.yaml
    baseline_of t.yaml >right.cu
    run judge kg-profile t.yaml right.cu
    echo "$output"
    jq -e '.status == "PASSED" and (.verify | .passed == .calls and .num_elements == 0 and .max_abs_err == null
        and .worst == null and .tolerance == null)' <<<"$output"
    sed 's/n_even = i/n_even = i - (n > 40)/' right.cu >wrong.cu
    run judge kg-verify t.yaml wrong.cu
    refused INCORRECT_NUMERICAL 1
    sed 's/% 2 == 0/% 2/' right.cu | sed 's/n_even = i/n_even = n - i/' >wrong.cu
    run judge kg-verify t.yaml wrong.cu
    refused INCORRECT_NUMERICAL 2
    # passes a check that looks at the order alone, and leaves one element out
    sed 's/\*n_even = i/if (i > 1) x[0] = x[1];\n    &/' right.cu >wrong.cu
    run judge kg-verify t.yaml wrong.cu
    refused INCORRECT_NUMERICAL 3
    sed 's/3 \* scale/3.1f * scale/' right.cu >wrong.cu
    run judge kg-verify t.yaml wrong.cu
    refused INCORRECT_NUMERICAL 4
}

@test "check: the other faults are found without it" {
    split_task >t.yaml
    baseline_of t.yaml >right.cu
    sed 's/^ *\*s = .*//' right.cu >unwritten.cu
    run judge kg-verify t.yaml unwritten.cu
    jq -e '.status == "UNWRITTEN_OUTPUT"' <<<"$output"
    sed 's/^ *\*s = .*/    s[0] = 3 * scale; s[1] = 0;/' right.cu >outside.cu
    run judge kg-verify t.yaml outside.cu
    jq -e '.status == "OOB_WRITE"' <<<"$output"
    sed 's/^extern.*/static int calls;\n&/; s/f<<</if (calls++ % 3 == 2) scale = -scale;\n    f<<</' right.cu >sometimes.cu
    run judge kg-verify t.yaml sometimes.cu
    echo "$output"
    jq -e '.status == "NONDETERMINISTIC"' <<<"$output"
}

@test "check: is asked about timed calls too" {
    split_task | sed '/^cases/,/n: 40/d' >t.yaml # at most 9 calls before the first that is timed
    baseline_of t.yaml | sed 's/f<<</static int calls;\n      if (++calls > 10) scale *= 1.5f;\n      f<<</' >ten.cu
    run judge kg-verify t.yaml ten.cu
    jq -e '.status == "PASSED"' <<<"$output"
    run judge kg-profile t.yaml ten.cu
    jq -e '.status == "INCORRECT_NUMERICAL" and .speedup == null' <<<"$output"
}

@test "check: has to accept the reference and the baseline" {
    split_task | sed 's|/\* 1: the number.*|#define EARLY if (got[0] == x[0]) return 9|
        s|int count\[1000\] = {0};|&\n      EARLY;|' >t.yaml
    baseline_of t.yaml >right.cu
    run judge kg-verify t.yaml right.cu
    echo "$output"
    jq -e '.status == "REFERENCE_ERROR" and (.error_message
        | contains("check refuses the reference'\''s own answer: it returned 9"))' <<<"$output"
    split_task | sed '/^baseline/,$s/n_even = i/n_even = i + 1/' >t.yaml
    run judge kg-verify t.yaml right.cu
    echo "$output"
    jq -e '.status == "REFERENCE_ERROR" and (.error_message
        | contains("of task '\''split'\'' refuses the baseline'\''s answer") and endswith("it returned 1"))' <<<"$output"
}

@test "check: one that accepts what needs no work makes the task worthless" {
    split_task | sed '/int check/,/^baseline/{s/if (\*got_even.*/if (0)/; s/if (got\[i\] < 0.*/if (0)/; s/count\[x\[i\]\]++;//
        s/count\[got\[i\]\]--;//; s/return \*s.*/return 0;/}' >t.yaml
    baseline_of t.yaml >right.cu
    run judge kg-verify t.yaml right.cu
    echo "$output"
    jq -e '.status == "DEGENERATE_TASK" and (.error_message | contains("zeros would pass"))' <<<"$output"
}

@test "check that crashes or hangs is the reference's fault, and the next record is judged" {
    # it dies of what one candidate answers
    split_task | sed 's/int count\[1000\] = {0};/&\n      if (*got_even > 1000) *(volatile int *)8 = 1;/' >t.yaml
    baseline_of t.yaml >right.cu
    sed 's/n_even = i/n_even = 5000/' right.cu >wrong.cu
    run judge kg-verify t.yaml wrong.cu
    echo "$output"
    jq -e '.status == "REFERENCE_ERROR"
        and (.error_message | startswith("the reference failed in check: ") and contains("signal 11"))' <<<"$output"
    run bash -c 'set -o pipefail; kg-compile -q -t t.yaml wrong.cu right.cu | kg-verify -q -j 1 | jq -r .status'
    [ "$output" = $'REFERENCE_ERROR\nPASSED' ]
    split_task | sed 's/int count\[1000\] = {0};/&\n      while (*got_even > 1000);/' >t.yaml
    run judge kg-verify t.yaml wrong.cu --truth-timeout 1
    echo "$output"
    jq -e '.status == "REFERENCE_ERROR" and (.error_message | startswith("the reference failed in check: "))' <<<"$output"
}

@test "a check that does not fit the task does not build, and the message says so" {
    split_task | sed 's/^            const int \*got_even, const double \*got_s)/            const int *got_even)/
        s/\*got_s < .* ? 4 : 0/0/' >t.yaml
    baseline_of t.yaml >right.cu
    run judge kg-verify t.yaml right.cu
    echo "$output"
    jq -e '.status == "REFERENCE_ERROR" and (.error_message
        | contains("the reference of task '\''split'\'' does not build") and test("too many arguments to function .check."))' <<<"$output"
}

@test "a task in a record works as its file does, structured parts and all" {
    split_task >t.yaml
    baseline_of t.yaml >right.cu
    kg-compile -q --embed-task -t t.yaml right.cu >embedded
    rm t.yaml
    run bash -c 'set -o pipefail; kg-verify -q embedded | jq -r .status'
    [ "$output" = PASSED ]
}
