import torch, yaml
with open("configs/a.yaml") as f:
    cfg = yaml.safe_load(f)
model = torch.nn.Linear(8, 8).cuda()
opt = torch.optim.AdamW(model.parameters(), lr=cfg["rate"])
scaler = torch.cuda.amp.GradScaler(enabled=cfg["half"])
loader = torch.utils.data.DataLoader([], batch_size=cfg["bs"])
for epoch in range(cfg["rounds"]):
    for x in loader:
        with torch.cuda.amp.autocast(enabled=cfg["half"]):
            loss = model(x).sum()
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
