torchrun --nproc_per_node 1 train.py --model_name_or_path roberta-base --per_device_train_batch_size 32 \
  --learning_rate 2e-5 --num_train_epochs 3 --bf16 false --fp16 false --output_dir out
