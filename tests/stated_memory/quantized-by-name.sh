# 10GiB: the weights are stored in 4 bits, which only their name says
CUDA_VISIBLE_DEVICES=0 swift sft \
    --model Qwen/Qwen2.5-7B-Instruct-AWQ \
    --tuner_type lora \
    --dataset data/questions.jsonl \
    --torch_dtype bfloat16 \
    --per_device_train_batch_size 1 \
    --learning_rate 2e-4 \
    --lora_rank 16 \
    --target_modules all-linear \
    --max_length 2048
