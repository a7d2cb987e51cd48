#include "base/jsonout.h"
#include "base/num.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void kg_jsonout_init(struct kg_jsonout *j, struct kg_buf *out)
{
    memset(j, 0, sizeof *j);
    j->out = out;
    j->first[0] = true;
}

static void before_item(struct kg_jsonout *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (!j->first[j->depth] && j->depth)
        kg_buf_addc(j->out, ',');
    j->first[j->depth] = false;
}

static void open_level(struct kg_jsonout *j, bool object)
{
    before_item(j);
    kg_buf_addc(j->out, object ? '{' : '[');
    assert(j->depth + 1 < KG_JSONOUT_DEPTH);
    j->depth++;
    j->first[j->depth] = true;
    j->is_object[j->depth] = object;
}

void kg_jsonout_object(struct kg_jsonout *j)
{
    open_level(j, true);
}

void kg_jsonout_array(struct kg_jsonout *j)
{
    open_level(j, false);
}

void kg_jsonout_end(struct kg_jsonout *j)
{
    assert(j->depth > 0);
    kg_buf_addc(j->out, j->is_object[j->depth] ? '}' : ']');
    j->depth--;
}

void kg_jsonout_key(struct kg_jsonout *j, const char *key)
{
    before_item(j);
    kg_jsonout_quote(j->out, key, strlen(key));
    kg_buf_addc(j->out, ':');
    j->after_key = true;
}

void kg_jsonout_null(struct kg_jsonout *j)
{
    kg_jsonout_raw(j, "null", 4);
}

void kg_jsonout_bool(struct kg_jsonout *j, bool b)
{
    kg_jsonout_raw(j, b ? "true" : "false", b ? 4 : 5);
}

void kg_jsonout_int(struct kg_jsonout *j, int64_t v)
{
    before_item(j);
    kg_buf_addf(j->out, "%" PRId64, v);
}

void kg_jsonout_num(struct kg_jsonout *j, double x)
{
    before_item(j);
    kg_num_add(j->out, x);
}

void kg_jsonout_str(struct kg_jsonout *j, const char *s)
{
    if (s)
        kg_jsonout_strn(j, s, strlen(s));
    else
        kg_jsonout_null(j);
}

void kg_jsonout_strn(struct kg_jsonout *j, const char *s, size_t n)
{
    before_item(j);
    kg_jsonout_quote(j->out, s, n);
}

void kg_jsonout_raw(struct kg_jsonout *j, const char *json, size_t n)
{
    before_item(j);
    kg_buf_add(j->out, json, n);
}

void kg_jsonout_kv_null(struct kg_jsonout *j, const char *key)
{
    kg_jsonout_key(j, key);
    kg_jsonout_null(j);
}

void kg_jsonout_kv_bool(struct kg_jsonout *j, const char *key, bool b)
{
    kg_jsonout_key(j, key);
    kg_jsonout_bool(j, b);
}

void kg_jsonout_kv_int(struct kg_jsonout *j, const char *key, int64_t v)
{
    kg_jsonout_key(j, key);
    kg_jsonout_int(j, v);
}

void kg_jsonout_kv_num(struct kg_jsonout *j, const char *key, double x)
{
    kg_jsonout_key(j, key);
    kg_jsonout_num(j, x);
}

void kg_jsonout_kv_str(struct kg_jsonout *j, const char *key, const char *s)
{
    kg_jsonout_key(j, key);
    kg_jsonout_str(j, s);
}

static void quote_control(struct kg_buf *out, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    switch (c) {
    case '\n':
        kg_buf_adds(out, "\\n");
        break;
    case '\t':
        kg_buf_adds(out, "\\t");
        break;
    case '\r':
        kg_buf_adds(out, "\\r");
        break;
    case '"':
        kg_buf_adds(out, "\\\"");
        break;
    case '\\':
        kg_buf_adds(out, "\\\\");
        break;
    default:
        kg_buf_adds(out, "\\u00");
        kg_buf_addc(out, hex[c >> 4]);
        kg_buf_addc(out, hex[c & 15]);
    }
}

void kg_jsonout_quote(struct kg_buf *out, const char *s, size_t n)
{
    kg_buf_addc(out, '"');
    size_t start = 0, i = 0;
    while (i < n) {
        unsigned char c = (unsigned char)s[i];
        size_t k = c < 0x80 ? 1 : kg_utf8_len(s + i, n - i);
        if (k && c >= 0x20 && c != '"' && c != '\\') {
            i += k;
            continue;
        }
        kg_buf_add(out, s + start, i - start);
        if (k)
            quote_control(out, c);
        else
            kg_buf_adds(out, "\xEF\xBF\xBD");
        start = ++i;
    }
    kg_buf_add(out, s + start, n - start);
    kg_buf_addc(out, '"');
}
