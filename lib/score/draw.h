/*
 * Random choices that depend on nothing but a seed and the names of what is drawn: the order of
 * records, their number and the machine change no draw.
 *
 *     u = ((r0 << 21) | (r1 >> 11)) / 2^53        r = Philox4x32-10(key, counter)
 *     key      low and high half of the seed
 *     counter  the first 16 bytes of SHA-256(M) as four little-endian uint32
 *     M        kind, a zero byte, uid [, traj, turn as int64]
 *     uid, traj   's' or 'i', byte length as uint64, then the UTF-8 or the decimal digits
 *
 * All integers in M are little-endian.
 */
#ifndef KG_SCORE_DRAW_H
#define KG_SCORE_DRAW_H

#include <stddef.h>
#include <stdint.h>

/*
 * kind: "prs" (a row), "row" (which rows or trajectories stay), "group" (which groups stay).
 * uid and traj have their type in front: "sp0" is the string p0, "i7" the integer 7. traj NULL: the
 * draw is the group's, and M ends after uid. u in [0, 1).
 */
struct kg_draw_id {
    const char *text; /* may hold NULs */
    size_t len;       /* the type included */
};

double kg_draw(uint64_t seed, const char *kind, struct kg_draw_id uid,
               const struct kg_draw_id *traj, int64_t turn);

#endif
