# Records as OpenRLHF's remote reward model answers. It has no word for 'no reward': those become 0 and
# are told in extra_logs.unscorable; mask them in the trainer.
#   jq -c -s -f openrlhf.jq batch.jsonl
{
  rewards: map(.reward // 0),
  scores: map(.reward // 0),
  extra_logs: {
    unscorable: map(if .reward == null then 1 else 0 end),
    correct: map(if .correctness then 1 else 0 end),
    speedup: map(.speedup // 0)
  }
}
