#include "worker/guarded.h"

#include <cstdio>
#include <exception>
#include <new>

enum kg_caught kg_guarded_call(void (*f)(void **), int (*g)(void **), void **args, int *result,
                               char *text, size_t size)
{
    try {
        if (g)
            *result = g(args);
        else
            f(args);
        return KG_CAUGHT_NONE;
    } catch (const std::bad_alloc &) {
        std::snprintf(text, size, "out of memory (std::bad_alloc)");
        return KG_CAUGHT_MEMORY;
    } catch (const std::exception &e) {
        std::snprintf(text, size, "exception: %s", e.what());
    } catch (const char *s) {
        std::snprintf(text, size, "exception: %s", s ? s : "(null)");
    } catch (...) {
        std::snprintf(text, size, "exception of an unknown type");
    }
    return KG_CAUGHT_OTHER;
}
