import torch, yaml
with open("configs/a.yaml") as f:
    cfg = yaml.safe_load(f)
model = torch.nn.Linear(8, 8).cuda()
opt = torch.optim.AdamW(model.parameters(), lr=cfg["rate"])
loader = torch.utils.data.DataLoader([], batch_size=cfg["bs"], num_workers=cfg["readers"])
for epoch in range(cfg["rounds"]):
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        opt.step()
