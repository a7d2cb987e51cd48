#include "host/fiber.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"

/* ---- AddressSanitizer: found at run time, since only the candidate may have been built with it
 * --- */

#ifdef KG_FIBER_UCONTEXT
bool kg_fiber_slow = true;
#else
bool kg_fiber_slow;
#endif

static void (*asan_start)(void **fake, const void *bottom, size_t size);
static void (*asan_finish)(void *fake, const void **bottom, size_t *size);
static void (*asan_unpoison)(void const volatile *addr, size_t size);
static pthread_once_t asan_once = PTHREAD_ONCE_INIT;

/* The address of a function as an object's: what POSIX asks of dlsym. */
static void find(const char *name, void *slot)
{
    *(void **)slot = dlsym(RTLD_DEFAULT, name);
}

static void asan_find(void)
{
    find("__sanitizer_start_switch_fiber", &asan_start);
    find("__sanitizer_finish_switch_fiber", &asan_finish);
    find("__asan_unpoison_memory_region", &asan_unpoison);
    if (asan_start && asan_finish)
        kg_fiber_slow = true;
    else
        asan_start = NULL;
}

/* ---- stacks ------------------------------------------------------------------------------ */

#define CHUNK 32 /* stacks in one mapping */

static size_t stack_bytes = KG_FIBER_STACK_MAX;

void kg_fiber_plan(size_t fibers)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_AS, &r) != 0 || r.rlim_cur == RLIM_INFINITY)
        return;
    while (stack_bytes > KG_FIBER_STACK_MIN && fibers * stack_bytes > r.rlim_cur / 2)
        stack_bytes /= 2;
}

static size_t map_stacks(size_t n, char **out)
{
    for (; n; n /= 2) {
        void *p = mmap(NULL, n * stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            *out = p;
            return n;
        }
    }
    return 0;
}

struct kg_fiber *kg_fiber_new(size_t n)
{
    pthread_once(&asan_once, asan_find);
    static unsigned color;
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    struct kg_fiber *list = NULL;
    while (n) {
        char *base;
        size_t got = map_stacks(n < CHUNK ? n : CHUNK, &base);
        if (!got)
            break;
        struct kg_fiber *f = kg_mem_array(got, sizeof *f);
        for (size_t i = 0; i < got; i++) {
            char *low = base + i * stack_bytes;
            /* with too many mappings in the process this fails: go on with fewer stacks */
            if (mprotect(low, guard, PROT_NONE) != 0) {
                munmap(low, (got - i) * stack_bytes);
                return list;
            }
            f[i].stack = low + guard;
            f[i].size = stack_bytes - guard;
            f[i].color = __atomic_fetch_add(&color, 1, __ATOMIC_RELAXED) % 32;
            f[i].next = list;
            list = &f[i];
        }
        n -= got;
    }
    return list;
}

/* ---- the switch -------------------------------------------------------------------------- */

#ifdef KG_FIBER_UCONTEXT
#include <ucontext.h>

void kg_fiber_prepare(struct kg_fiber *f, void (*entry)(void))
{
    if (!f->sp)
        f->sp = kg_mem_zalloc(sizeof(ucontext_t));
    ucontext_t *u = f->sp;
    getcontext(u);
    u->uc_stack.ss_sp = f->stack;
    u->uc_stack.ss_size = f->size;
    u->uc_link = NULL;
    f->fake = NULL;
    makecontext(u, entry, 0);
}

static void swap(struct kg_fiber *from, struct kg_fiber *to)
{
    if (!from->sp)
        from->sp = kg_mem_zalloc(sizeof(ucontext_t));
    swapcontext(from->sp, to->sp);
}
#else
void kg_fiber_prepare(struct kg_fiber *f, void (*entry)(void))
{
    if (asan_unpoison)
        asan_unpoison(f->stack, f->size);
    f->fake = NULL;
    uintptr_t top = ((uintptr_t)(f->stack + f->size) - f->color * 192u) & ~(uintptr_t)63;
    void **sp = (void **)top;
#ifdef __x86_64__
    *--sp = NULL; /* so that the stack is aligned as after a call */
    *--sp = (void *)(uintptr_t)entry;
    for (int i = 0; i < 6; i++)
        *--sp = NULL;
#else
    sp -= 20;
    for (int i = 0; i < 20; i++)
        sp[i] = NULL;
    sp[11] = (void *)(uintptr_t)entry; /* x30 */
#endif
    f->sp = sp;
}

static inline void swap(struct kg_fiber *from, struct kg_fiber *to)
{
    kg_fiber_swap(&from->sp, to->sp);
}
#endif

/* Where the OS thread's own stack lies: AddressSanitizer says it when we leave it first. */
static __thread const void *os_bottom;
static __thread size_t os_size;
static __thread struct kg_fiber *left;

static __attribute__((noinline)) void asan_arrived(void *fake)
{
    const void *bottom;
    size_t size;
    asan_finish(fake, &bottom, &size);
    if (left && !left->stack) {
        os_bottom = bottom;
        os_size = size;
    }
}

static __attribute__((noinline)) void asan_switch(struct kg_fiber *from, struct kg_fiber *to)
{
    left = from;
    if (to->stack)
        asan_start(&from->fake, to->stack, to->size);
    else
        asan_start(&from->fake, os_bottom, os_size);
    swap(from, to);
    asan_arrived(from->fake);
}

void kg_fiber_switch_slow(struct kg_fiber *from, struct kg_fiber *to)
{
    if (asan_start)
        asan_switch(from, to);
    else
        swap(from, to);
}

void kg_fiber_entered(void)
{
    if (asan_start)
        asan_arrived(NULL);
}
