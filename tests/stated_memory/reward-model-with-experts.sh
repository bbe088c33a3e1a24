# 2 * 45GiB: no logits, one score a sample
NPROC_PER_NODE=2 megatron rlhf \
    --rlhf_type rm \
    --model Qwen/Qwen3-30B-A3B-Instruct-2507 \
    --dataset data/pairs.jsonl \
    --packing true \
    --tuner_type lora \
    --lora_rank 8 \
    --target_modules all-linear \
    --expert_model_parallel_size 2 \
    --micro_batch_size 1 \
    --global_batch_size 8 \
    --recompute_granularity full \
    --recompute_method uniform \
    --recompute_num_layers 1 \
    --lr 1e-4 \
    --max_length 8192
