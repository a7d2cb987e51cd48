# Records behind kg-advantage and kg-sample as rows for verl: one number a row, which a data loader
# repeats over the response's tokens (advantages, returns); a row that was rejected, or on
# which nothing was decided (sampling.keep null), has mask 0. With
# kg-sample --weights: the surviving mask and the importance weight of each token.
#   jq -c -f verl.jq batch.jsonl
select(.advantage != null)
| {
    uid: (.uid // .task_id),
    turn_indices: (.turn // 1),
    response: (.response // .kernel_code),
    token_level_scores: .reward,
    returns: .return,
    advantages: .advantage,
    loss_mask: (if .mask == 0 or .mask == false or (.sampling != null and .sampling.keep != true)
                then 0 else 1 end),
    response_mask: (.sampling.response_mask // .response_mask),
    rollout_is_weights: .sampling.is_weights,
    n_started: .n_started
  }
