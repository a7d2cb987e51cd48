/*
 * Fields that more than one program of the scoring half reads, with one way to be wrong.
 */
#ifndef KG_RL_FIELDS_H
#define KG_RL_FIELDS_H

#include <stdbool.h>

#include "record/record.h"

/* A number; NaN when it is null, missing (*missing, may be NULL) or infinite. Else a fault. */
double kg_field_num(struct kg_record *r, const char *key, bool *missing);

/* 'mask': 1 (also missing or null) or 0; true and false are taken too. Else a fault. */
bool kg_field_mask(struct kg_record *r);

/* How the rollout ended: 'finish_reason' is error or async_timeout. */
bool kg_field_failed(struct kg_record *r);

#endif
