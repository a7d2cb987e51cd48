#include "judge/watch.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "device/nvml.h"

#define DEPTH      64  /* parents that are looked at */
#define SAMPLES_MS 100 /* between two looks, */
#define LOOKS      15  /* at most */

uint64_t kg_watch_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Name and parent. The name stands in parentheses and may hold any byte. */
static bool look_up(pid_t pid, char name[64], pid_t *parent)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    size_t n = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[n] = '\0';
    char *open = strchr(line, '('), *close = strrchr(line, ')');
    int up;
    char state;
    if (!open || !close || close < open || sscanf(close + 1, " %c %d", &state, &up) != 2)
        return false;
    *close = '\0';
    snprintf(name, 64, "%.63s", open + 1);
    *parent = up;
    return true;
}

enum kg_kin kg_watch_kin(pid_t pid, pid_t head)
{
    enum kg_kin kin = KG_KIN_GONE;
    char name[64];
    for (int i = 0; i < DEPTH && pid > 0; i++) {
        if (pid == head)
            return KG_KIN_FAMILY;
        if (!look_up(pid, name, &pid))
            break;
        if (kin != KG_KIN_KG)
            kin = !strncmp(name, "kg-", 3) ? KG_KIN_KG : KG_KIN_STRANGER;
    }
    return kin;
}

/* The users of the device in pid; 0 where their numbers are not ours. */
static int users(const char *uuid, unsigned pid[KG_NVML_USERS])
{
    int n = kg_nvml_users(uuid, pid, KG_NVML_USERS);
    bool known = false;
    n = n > KG_NVML_USERS ? KG_NVML_USERS : n;
    for (int i = 0; i < n; i++)
        known = known || pid[i] == (unsigned)getpid();
    return known ? n : 0;
}

int kg_watch_family(const char *uuid, pid_t head)
{
    unsigned pid[KG_NVML_USERS];
    int n = users(uuid, pid), family = 0;
    for (int i = 0; i < n; i++)
        family += kg_watch_kin((pid_t)pid[i], head) == KG_KIN_FAMILY;
    return family;
}

pid_t kg_watch_stranger(const char *uuid, uint64_t since_us, char name[64])
{
    unsigned pid[KG_NVML_USERS];
    int n = users(uuid, pid), strangers = 0;
    pid_t parent;
    for (int i = 0; i < n; i++)
        if (kg_watch_kin((pid_t)pid[i], 0) == KG_KIN_STRANGER)
            pid[strangers++] = pid[i];
    for (int look = 0; strangers && look < LOOKS; look++) {
        int unknown = 0;
        for (int i = 0; i < strangers; i++) {
            int used = kg_nvml_used(uuid, pid[i], since_us);
            if (used > 0 && look_up((pid_t)pid[i], name, &parent)) {
                kg_utf8_clean_line(name, strlen(name));
                return (pid_t)pid[i];
            }
            unknown += used < 0;
        }
        if (!unknown)
            break;
        nanosleep(&(struct timespec){0, SAMPLES_MS * 1000000L}, NULL);
    }
    return 0;
}
