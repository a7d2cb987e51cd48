# Records as TRL's reward functions want them: completions in order, and their rewards; null where
# there is none (TRL leaves such completions out).
#   jq -c -s -f trl.jq batch.jsonl
{
  prompts: map(.uid // .task_id),
  completions: map(.response // .kernel_code),
  rewards: map(.reward)
}
