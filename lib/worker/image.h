/*
 * The bytes of a GPU image in memory. Formats as their headers show them: the wrapper that nvcc
 * puts into objects, fat binaries, ELF. Header only: the tracer is a library of its own.
 */
#ifndef KG_WORKER_IMAGE_H
#define KG_WORKER_IMAGE_H

#include <stdint.h>
#include <string.h>

#define KG_FATBIN_WRAPPER 0x466243b1u
#define KG_FATBIN_MAGIC   0xba55ed50u

/* Length of an image from its own header: a fat binary (or a pointer to one) or an ELF file. */
static inline uint64_t kg_image_size(const void **image)
{
    const uint32_t *w = *image;
    if (w[0] == KG_FATBIN_WRAPPER) { /* the wrapper that nvcc puts in front: magic, version, data */
        const void *data;
        memcpy(&data, w + 2, sizeof data);
        *image = data;
        w = data;
    }
    if (w[0] == KG_FATBIN_MAGIC) { /* fat binary: header size and the size of what follows */
        uint64_t body;
        memcpy(&body, w + 2, sizeof body);
        return body + (w[1] >> 16);
    }
    if (!memcmp(w, "\177ELF", 4)) { /* the section headers stand last */
        const unsigned char *e = *image;
        uint64_t shoff, end = 0;
        uint16_t shsize, shnum;
        memcpy(&shoff, e + 40, 8);
        memcpy(&shsize, e + 58, 2);
        memcpy(&shnum, e + 60, 2);
        end = shoff + (uint64_t)shsize * shnum;
        for (uint16_t i = 0; i < shnum; i++) {
            const unsigned char *s = e + shoff + (uint64_t)i * shsize;
            uint64_t at, n;
            uint32_t type;
            memcpy(&type, s + 4, 4);
            memcpy(&at, s + 24, 8);
            memcpy(&n, s + 32, 8);
            if (type != 8 && at + n > end) /* SHT_NOBITS has no bytes */
                end = at + n;
        }
        uint64_t phoff;
        uint16_t phsize, phnum;
        memcpy(&phoff, e + 32, 8);
        memcpy(&phsize, e + 54, 2);
        memcpy(&phnum, e + 56, 2);
        if (phoff + (uint64_t)phsize * phnum > end)
            end = phoff + (uint64_t)phsize * phnum;
        return end;
    }
    return 0; /* PTX text: its length is not in it */
}

#endif
