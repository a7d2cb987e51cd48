/*
 * What the tracer (so/kg-trace.c, loaded by the driver into a worker through CUDA_INJECTION64_PATH)
 * tells the judge, in memory that the judge owns: a sealed memfd whose number stands in
 * KG_TRACE_FD.
 *
 * The tracer shares its process with the candidate, so all of this is a claim. What the judge
 * checks itself: images by the hash of the artifact that it built, the sum of times against its own
 * clock.
 *
 * One call at a time: the worker calls kg_trace_begin() before the candidate runs and
 * kg_trace_end() after it answered; end() collects what the device did, writes events and images,
 * and sets 'done' to the call's number. Event times are nanoseconds of CUPTI's clock.
 */
#ifndef KG_WORKER_TRACE_H
#define KG_WORKER_TRACE_H

#include <stdint.h>

#define KG_TRACE_MAGIC  0x6b677472u
#define KG_TRACE_EVENTS 16384
#define KG_TRACE_IMAGES 1024
#define KG_TRACE_NAMES  4096
#define KG_TRACE_NAME   192
#define KG_TRACE_PATH   256

enum kg_trace_kind { KG_TRACE_KERNEL, KG_TRACE_COPY, KG_TRACE_SET };

/* where the launch or copy came from */
enum kg_trace_phase {
    KG_TRACE_IN_CALL, /* between begin and end */
    KG_TRACE_OUTSIDE, /* between calls: nobody asked for it */
    KG_TRACE_WORKER,  /* the worker's own copies and sets */
};

struct kg_trace_event {
    uint64_t start_ns, end_ns;
    uint32_t kind, phase;
    uint32_t image; /* index of kg_trace_image; UINT32_MAX: not known */
    uint32_t name;  /* index of a name; kernels */
    uint32_t grid[3], block[3];
    uint32_t registers, static_shared, dynamic_shared, local_bytes, stream;
    uint64_t bytes; /* copies and sets */
};

struct kg_trace_image {
    uint64_t hash; /* kg_trace_hash of the image's bytes; 0: their length is not known */
    uint64_t size;
    uint32_t has_file;          /* the image's bytes lie in a mapped file: 'file' */
    char file[KG_TRACE_PATH];   /* of the shared object that holds the image's bytes, or empty */
    char loader[KG_TRACE_PATH]; /* of the first library on the stack that is not CUDA's own */
};

struct kg_trace {
    uint32_t magic;
    uint32_t attached; /* the tracer runs in the process */
    uint32_t ready;    /* the worker has opened the device */
    uint32_t error;    /* CUptiResult of the first call that failed; 0 */
    char error_call[128];
    /* of the last call: */
    uint32_t done;      /* number of calls collected */
    uint32_t n_events;  /* may exceed KG_TRACE_EVENTS: then events were lost */
    uint32_t n_dropped; /* records that CUPTI dropped */
    uint64_t api_ns;  /* host time inside driver and runtime calls, synchronising calls left out */
    uint64_t sync_ns; /* host time inside synchronising calls */
    uint64_t begin_ns, end_ns; /* CUPTI's clock at begin and at the answer */
    uint32_t ablated;          /* launches turned into nothing by the preload */
    /* since the start: */
    uint32_t n_images, n_names;
    struct kg_trace_image images[KG_TRACE_IMAGES];
    char names[KG_TRACE_NAMES][KG_TRACE_NAME];
    struct kg_trace_event events[KG_TRACE_EVENTS];
};

/* What the worker looks up in the tracer with dlsym. */
void kg_trace_ready(void); /* the device is open */
void kg_trace_begin(void);
void kg_trace_answer(void);   /* the call is over, as its caller sees it */
void kg_trace_end(void);      /* collects */
void kg_trace_worker(int on); /* the worker's own device work starts and stops */
void kg_trace_ablated(void);  /* told by the preload (so/kg-preload.c) for a launch it swallowed */
/* of the preload: 'inside' is any address in the candidate's object; on: 1 or 0 */
void kg_preload_ablate(const void *inside, int on);

/* FNV-1a over 8-byte words and the rest: equal bytes, equal hash; the judge hashes its artifact's
 * images with the same function. Not secret: what an image claims is checked against what was
 * built. */
static inline uint64_t kg_trace_hash(const void *data, uint64_t n)
{
    const unsigned char *p = (const unsigned char *)data;
    uint64_t h = 0xcbf29ce484222325ull;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t w = 0;
        for (int i = 0; i < 8; i++)
            w |= (uint64_t)p[i] << (8 * i);
        h = (h ^ w) * 0x100000001b3ull;
        h ^= h >> 29;
    }
    for (; n; p++, n--)
        h = (h ^ *p) * 0x100000001b3ull;
    return h ? h : 1;
}

#endif
