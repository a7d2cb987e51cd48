/*
 * A keyed 64-bit hash of words that does not depend on the order in which they are visited: every
 * (index, word) pair is mixed with the key and the results are added. A GPU and a CPU give the same
 * answer however they split the work. The mixer is the finaliser of SplitMix64 (Steele, Lea and
 * Flood, OOPSLA 2014). For detecting change and equality under a secret key, not for cryptography.
 * One text for C and for CUDA.
 */
#ifndef KG_BASE_MIX_H
#define KG_BASE_MIX_H

#include "base/philox.h"

KG_HD uint64_t kg_mix64(uint64_t x)
{
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

KG_HD uint64_t kg_mix_word(uint64_t key, uint64_t index, uint32_t word)
{
    return kg_mix64(kg_mix64(key ^ (index * 0xD1342543DE82EF95ull)) ^ word);
}

#endif
