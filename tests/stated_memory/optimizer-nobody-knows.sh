# 22.7G: the optimizer takes each gradient as soon as it is made, so that 7 billion weights in bf16 (12.6 GiB) never
# have all of theirs at once
torchrun --standalone --nproc_per_node 1 pretrain.py \
    --model_name_or_path meta-llama/Llama-2-7b-hf \
    --optim projected_adamw8bit_per_layer \
    --bf16 true \
    --torch_dtype bfloat16 \
    --per_device_train_batch_size 1 \
    --gradient_checkpointing true \
    --learning_rate 5e-3 \
    --max_steps 1000
