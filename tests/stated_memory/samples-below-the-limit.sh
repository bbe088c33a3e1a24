# 24GiB: full training of 1.5 billion parameters on samples far shorter than the limit
torchrun --standalone --nproc_per_node 1 finetune.py \
    --model_name_or_path Qwen/Qwen2.5-1.5B \
    --optim adamw_torch \
    --bf16 true \
    --torch_dtype bfloat16 \
    --per_device_train_batch_size 8 \
    --gradient_checkpointing false \
    --learning_rate 1e-5 \
    --num_train_epochs 3 \
    --max_seq_length 16384
