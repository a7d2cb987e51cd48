#include "worker/guarded.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

struct kg_guarded_slot kg_guarded_slots[KG_WIRE_SETS][KG_WIRE_ARGS];
uint64_t kg_guarded_token;
static int guarded_fd = -1;

static void find_slot(struct kg_wire_fault *m)
{
    m->arg = -1;
    for (uint32_t s = 0; s < KG_WIRE_SETS; s++)
        for (int a = 0; a < KG_WIRE_ARGS; a++) {
            const struct kg_guarded_slot *g = &kg_guarded_slots[s][a];
            uint64_t at = (uint64_t)(uintptr_t)g->map;
            /* the page behind counts as the slot's: it is what a loop that runs on touches first */
            if (!g->map || m->address < at || m->address >= at + g->bytes + 4096)
                continue;
            m->arg = a;
            m->set = s;
            m->offset = (int64_t)(m->address - at) - (int64_t)g->offset;
            m->read_only = (uint8_t)g->read_only;
            return;
        }
}

/* Only async-signal-safe things; then the signal takes its usual course. */
static void on_fault(int signo, siginfo_t *info, void *context)
{
    struct kg_wire_fault m;
    memset(&m, 0, sizeof m);
    m.head.type = KG_WIRE_FAULT;
    m.signo = signo;
    m.code = info->si_code;
    if (info->si_code > 0 && signo != SIGABRT)
        m.address = (uint64_t)(uintptr_t)info->si_addr;
    find_slot(&m);
    kg_wire_tell(guarded_fd, &m, sizeof m, kg_guarded_token);
    signal(signo, SIG_DFL);
    if (info->si_code <= 0)
        raise(signo); /* sent, not caused: it would not come again by itself */
}

int kg_guarded_install(int fd)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    guarded_fd = fd;
    stack_t stack = {.ss_size = 64 * 1024};
    stack.ss_sp =
        mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL))
        return -1;
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_sigaction = on_fault;
    act.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], &act, NULL))
            return -1;
    return 0;
}
