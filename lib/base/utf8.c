#include "base/utf8.h"

static bool is_tail(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

size_t kg_utf8_len(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    if (n == 0)
        return 0;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF)
        return n >= 2 && is_tail(s[1]) ? 2 : 0;
    if (s[0] >= 0xE0 && s[0] <= 0xEF) {
        if (n < 3 || !is_tail(s[1]) || !is_tail(s[2]))
            return 0;
        if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F))
            return 0;
        return 3;
    }
    if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        if (n < 4 || !is_tail(s[1]) || !is_tail(s[2]) || !is_tail(s[3]))
            return 0;
        if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
            return 0;
        return 4;
    }
    return 0;
}

bool kg_utf8_valid(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t k = kg_utf8_len(s + i, n - i);
        if (!k)
            return false;
        i += k;
    }
    return true;
}

void kg_utf8_clean_line(char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t k = kg_utf8_len(s + i, n - i);
        unsigned char c = (unsigned char)s[i];
        bool c1 = k == 2 && c == 0xC2 && (unsigned char)s[i + 1] < 0xA0;
        if (k == 0 || (k == 1 && c != '\t' && (c < 0x20 || c == 0x7F)))
            s[i] = '?';
        else if (c1)
            s[i] = s[i + 1] = '?';
        i += k ? k : 1;
    }
}

size_t kg_utf8_cut(const char *s, size_t n)
{
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        unsigned char c = (unsigned char)s[n - back];
        if (c < 0x80)
            return n;
        if (c >= 0xC0)
            return kg_utf8_len(s + n - back, back) ? n : n - back;
    }
    return n;
}
