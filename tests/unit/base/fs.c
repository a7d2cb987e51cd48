#include "base/fs.h"
#include "base/mem.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *dir;

static char *in_dir(const char *name)
{
    return kg_fs_join(dir, name);
}

static void test_files(void)
{
    struct kg_buf b;
    struct kg_error e = KG_ERROR_INIT;
    struct stat st;
    char *name = in_dir("a/b/c.txt"), *parent = kg_fs_dirname(name);
    EQ_INT(kg_fs_write(name, "x", 1, 0644, &e), -1); /* no folder */
    HAS(e.text, "c.txt");
    kg_error_clear(&e);
    EQ_INT(kg_fs_mkdirs(parent, 0755, &e), 0);
    EQ_INT(kg_fs_mkdirs(parent, 0755, &e), 0);
    OK(kg_fs_is_dir(parent));
    EQ_INT(kg_fs_write(name, "hello\0x", 7, 0600, &e), 0);
    OK(kg_fs_exists(name) && !kg_fs_is_dir(name));
    EQ_INT(stat(name, &st), 0);
    EQ_INT(st.st_mode & 0777, 0600);
    EQ_INT(kg_fs_write(name, "again", 5, 0600, &e), 0); /* replaced, nothing left behind */
    kg_buf_init(&b, 0);
    kg_buf_adds(&b, "<");
    EQ_INT(kg_fs_read(name, &b, &e), 0);
    EQ_STR(b.data, "<again");
    kg_buf_release(&b);
    kg_buf_init(&b, 4);
    EQ_INT(kg_fs_read(name, &b, &e), -1);
    EQ_INT(e.code, KG_E_LIMIT);
    kg_buf_release(&b);
    kg_error_clear(&e);
    EQ_INT(kg_fs_read(dir, &b, &e), -1);
    kg_error_clear(&e);
    EQ_INT(kg_fs_read("/nonexistent/x", &b, &e), -1);
    HAS(e.text, "No such file or directory");
    kg_buf_release(&b);
    static const char numbers[] = "MemFree: 1 kB\nMemAvailable:   26912 kB\nlast 7";
    EQ_INT(kg_fs_write(name, numbers, sizeof numbers - 1, 0600, NULL), 0);
    EQ_INT(kg_fs_number(name, "MemAvailable:"), 26912);
    EQ_INT(kg_fs_number(name, "\nlast "), 7);
    EQ_INT(kg_fs_number(name, "SwapFree:"), 0);
    EQ_INT(kg_fs_number("/nonexistent/numbers", "MemFree:"), 0);
    free(parent);
    free(name);
}

static void test_names(void)
{
    char *p = kg_fs_join("a", "b");
    EQ_STR(p, "a/b");
    free(p);
    p = kg_fs_join("a", "/b");
    EQ_STR(p, "/b");
    free(p);
    p = kg_fs_dirname("x.yaml");
    EQ_STR(p, ".");
    free(p);
    p = kg_fs_dirname("/x");
    EQ_STR(p, "/");
    free(p);
    p = kg_fs_which("sh");
    OK(p && *p == '/');
    free(p);
    OK(!kg_fs_which("no-such-program-here"));
    OK(!kg_fs_share("no/such/thing", NULL));
}

static void test_remove(void)
{
    /* a link is removed, what it points at stays */
    char *kept = in_dir("kept"), *tree = in_dir("tree"), *link = in_dir("tree/link");
    kg_fs_mkdirs(tree, 0755, NULL);
    kg_fs_mkdirs(kept, 0755, NULL);
    EQ_INT(symlink(kept, link), 0);
    EQ_INT(kg_fs_remove_tree(tree), 0);
    OK(!kg_fs_exists(tree));
    OK(kg_fs_exists(kept));
    free(kept);
    free(tree);
    free(link);
}

static void test_write_all(void)
{
    int full = open("/dev/full", O_WRONLY);
    if (full >= 0) {
        EQ_INT(kg_fs_write_all(full, "x", 1), -1);
        close(full);
    }
    EQ_INT(kg_fs_write_all(-1, "x", 1), -1);
}

int main(void)
{
    struct kg_error e = KG_ERROR_INIT;
    struct stat st;
    dir = kg_fs_tempdir("kg-test", &e);
    OK(dir);
    EQ_INT(stat(dir, &st), 0);
    EQ_INT(st.st_mode & 0777, 0700);
    test_files();
    test_names();
    test_remove();
    test_write_all();
    EQ_INT(kg_fs_remove_tree(dir), 0);
    OK(!kg_fs_exists(dir));
    free(dir);
    return tap_done();
}
