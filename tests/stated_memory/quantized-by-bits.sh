# 10GiB: the measured peak of QLoRA with 4-bit weights of 7 billion parameters at 2,048 tokens
CUDA_VISIBLE_DEVICES=0 swift sft \
    --model Qwen/Qwen2.5-7B-Instruct \
    --tuner_type lora \
    --dataset data/questions.jsonl \
    --torch_dtype bfloat16 \
    --quant_method hqq \
    --quant_bits 4 \
    --per_device_train_batch_size 1 \
    --learning_rate 2e-4 \
    --lora_rank 16 \
    --target_modules all-linear \
    --max_length 2048
