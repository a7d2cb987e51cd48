// The shortest digits that read back as the same double: the standard library's, which C has not.
#include <charconv>
#include <cstddef>

extern "C" size_t kg_shortest(double x, char *text, size_t size);

// "1.2345e-07", "-5e+22": always scientific; x is finite. Returns the length.
extern "C" size_t kg_shortest(double x, char *text, size_t size)
{
    std::to_chars_result r = std::to_chars(text, text + size, x, std::chars_format::scientific);
    return static_cast<size_t>(r.ptr - text);
}
