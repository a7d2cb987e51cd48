/*
 * A shared library of the test's own in place of one that is opened at run time: it is built with
 * the C compiler, and the test runs itself again with it in front.
 */
#ifndef KG_TESTS_FAKE_LIBRARY_H
#define KG_TESTS_FAKE_LIBRARY_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

#define FAKE_DIR "KG_TEST_FAKE_DIR"

/* First thing in main. Comes back in the second run, with the library in LD_LIBRARY_PATH. */
static inline void fake_library(const char *soname, const char *source, char **argv)
{
    char dir[] = "/tmp/kg-fake.XXXXXX", path[128], command[512];
    if (getenv(FAKE_DIR))
        return;
    FILE *f = NULL;
    if (mkdtemp(dir)) {
        snprintf(path, sizeof path, "%s/fake.c", dir);
        f = fopen(path, "w");
    }
    snprintf(command, sizeof command, "cc -shared -fPIC -o %s/%s %s", dir, soname, path);
    if (f && fputs(source, f) >= 0 && !fclose(f) && !system(command)) {
        setenv("LD_LIBRARY_PATH", dir, 1);
        setenv(FAKE_DIR, dir, 1);
        execv(argv[0], argv);
    }
    printf("Bail out! cannot build %s\n", soname);
    exit(1);
}

static inline void fake_library_remove(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -r '%s'", getenv(FAKE_DIR));
    EQ_INT(system(command), 0);
}

#endif
