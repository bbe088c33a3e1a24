// Networks of libraries that a project builds by name: the parameters that their releases count.

#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace library_networks_test {

using namespace gpulint;

namespace {

struct Counted {
  std::int64_t parameters = 0;
  bool bounded = false;
};

/// What is known of a run that trains what `made` is.
Counted counted(const std::string& imports, const std::string& made,
                const std::string& step = kStep) {
  const Followed run =
      followed(imports, made, step,
               "lr: 0.001\nbatch_size: 8\nepochs: 3\nimage_size: 256\nmax_length: 128\n");
  if (run.report == nullptr) return {};
  const PlanReport& report = *run.report;
  Counted made_of;
  if (report.run && report.run->facts().parameters)
    made_of.parameters = report.run->facts().parameters->value;
  made_of.bounded = report.estimate.vram && report.estimate.vram->bounded_above;
  return made_of;
}

/// A network of the project around a backbone whose output has `width` features.
std::string around(const std::string& backbone, int width) {
  return "class Net(nn.Module):\n"
         "    def __init__(self):\n"
         "        super().__init__()\n"
         "        self.backbone = " +
         backbone +
         "\n"
         "        self.head = nn.Linear(" +
         std::to_string(width) +
         ", 2)\n"
         "    def forward(self, x):\n"
         "        return self.head(self.backbone(x))\n";
}

}  // namespace

TEST_CASE("a network that comes from a hub is the library's own") {
  const std::string hub = "torch.hub.load('pytorch/vision:v0.10.0', 'resnet18', pretrained=True)";
  const Counted known = counted("", hub);
  CHECK(known.parameters == 11'689'512);
  CHECK(known.bounded);
  CHECK(counted("", "torch.hub.load('elsewhere/nets', 'resnet18')").parameters == 0);
}

TEST_CASE("segmentation networks are counted, encoder and decoder") {
  const std::string smp = "import segmentation_models_pytorch as smp\n";
  CHECK(counted(smp, "smp.Unet('resnet34', classes=1)").parameters == 24'436'369);
  CHECK(counted(smp, "smp.Unet('efficientnet-b0', classes=1)").parameters == 6'251'469);
  CHECK(counted(smp, "smp.UnetPlusPlus('resnet34', classes=1)").parameters == 26'078'609);
  CHECK(counted(smp, "smp.FPN('resnet34', classes=1)").parameters == 23'155'393);
  CHECK(counted(smp, "smp.DeepLabV3Plus('resnet34', classes=1)").parameters == 22'437'457);
  const Counted by_name = counted(smp, "smp.create_model('DeepLabV3', 'resnet34', classes=1)");
  CHECK(by_name.parameters == 26'007'105);
  CHECK(by_name.bounded);
  CHECK(counted(smp, "smp.Unet('of-nobody', classes=1)").bounded == false);
}

TEST_CASE("vision transformers of timm's class and of its blocks are counted and followed") {
  const std::string own =
      "import torch\nfrom functools import partial\n"
      "from timm.models.vision_transformer import Block, PatchEmbed, VisionTransformer\n"
      "class Net(nn.Module):\n"
      "    def __init__(self, width, depth, rate):\n"
      "        super().__init__()\n"
      "        self.embed = PatchEmbed(256, 16, 3, width)\n"
      "        rates = [x.item() for x in torch.linspace(0, rate, depth)]\n"
      "        self.blocks = nn.ModuleList([Block(width, 4, 4.0, qkv_bias=True, qk_scale=None,\n"
      "            drop_path=rates[i], norm_layer=nn.LayerNorm) for i in range(depth)])\n"
      "        self.head = nn.Linear(width, 2)\n"
      "    def forward(self, x):\n"
      "        x = self.embed(x)\n"
      "        for block in self.blocks:\n"
      "            x = block(x)\n"
      "        return self.head(x.mean(1))\n";
  // 12 width^2 + 13 width a block, 3 * 16^2 width + width of the patches, 2 width + 2 of the head
  const Counted blocks = counted(own, "Net(64, 3, 0.1)");
  CHECK(blocks.parameters == 3 * (12 * 64 * 64 + 13 * 64) + 769 * 64 + 130);
  CHECK(blocks.bounded);
  const Counted whole =
      counted(own, "VisionTransformer(img_size=256, norm_layer=partial(nn.LayerNorm, eps=1e-6))");
  CHECK(whole.parameters == 86'567'656 + 60 * 768);  // 60 patches more than at 224
  CHECK(whole.bounded);
}

TEST_CASE("layers of OpenMMLab are counted in a network that its registry builds") {
  const std::string network =
      "from mmcv.cnn import ConvModule, DepthwiseSeparableConvModule, build_norm_layer\n"
      "from mmcv.utils import Registry, build_from_cfg\n"
      "NETWORKS = Registry('network')\n"
      "@NETWORKS.register_module()\n"
      "class Net(nn.Module):\n"
      "    def __init__(self, width):\n"
      "        super().__init__()\n"
      "        self.a = ConvModule(3, width, 3, padding=1, norm_cfg=dict(type='SyncBN', "
      "requires_grad=True))\n"
      "        self.b = DepthwiseSeparableConvModule(width, 2 * width, 3, padding=1)\n"
      "        self.norm = build_norm_layer(dict(type='GN', num_groups=2), 2 * width)[1]\n"
      "        self.head = nn.Linear(2 * width, 10)\n"
      "    def forward(self, x):\n"
      "        return self.head(self.norm(self.b(self.a(x))).mean((2, 3)))\n"
      "def build(cfg, registry):\n"
      "    return build_from_cfg(cfg, registry)\n";
  const Counted made = counted(network, "build(dict(type='Net', width=8), NETWORKS)");
  // 3*8*9 + 2*8; 8*9 + 8 and 8*16 + 16; 2*16; 16*10 + 10
  CHECK(made.parameters == 216 + 16 + 80 + 144 + 32 + 170);
  CHECK(made.bounded);
  CHECK(counted(network, "build(dict(type='Absent'), NETWORKS)").parameters == 0);
  // A norm that the project registers is a part nobody can count, and no reason to refuse the run.
  const Followed own =
      followed("from mmcv.cnn import ConvModule\n",
               "nn.Sequential(ConvModule(3, 8, 3, norm_cfg=dict(type='Mine')), nn.Linear(8, 2))",
               kStep, "lr: 0.001\nbatch_size: 8\nepochs: 3\nimage_size: 256\n");
  REQUIRE(own.report != nullptr);
  for (const Finding& each : own.result.findings) CHECK(each.rule != "stopped-by-own-code");
  CHECK_FALSE(own.report->estimate.vram.value().bounded_above);
}

TEST_CASE("networks of MONAI are counted") {
  const std::string monai = "from monai.networks.nets import UNet, SegResNet, DenseNet121\n";
  CHECK(counted(monai,
                "UNet(spatial_dims=3, in_channels=1, out_channels=2, channels=(16, 32, 64, 128, "
                "256), strides=(2, 2, 2, 2), num_res_units=2, norm='batch')")
            .parameters == 4'808'917);
  CHECK(counted(monai, "SegResNet(3, 16, 4, 3)").parameters == 4'702'227);
  const Counted flat = counted(monai, "DenseNet121(2, 3, 1000)");
  CHECK(flat.parameters == 7'978'856);
  CHECK(flat.bounded);
}

// Counted by MONAI 1.3 itself.
TEST_CASE("networks of MONAI for volumes are counted") {
  const auto of = [](const std::string& made) {
    return counted(
               "from monai.networks import nets, blocks\nfrom monai.networks.layers import Norm\n",
               made)
        .parameters;
  };
  CHECK(of("nets.SwinUNETR(img_size=(96, 96, 96), in_channels=1, out_channels=14, "
           "feature_size=48)") == 62'187'296);
  CHECK(of("nets.resnet50(spatial_dims=3, n_input_channels=1, num_classes=2)") == 46'163'010);
  CHECK(of("nets.VNet(spatial_dims=3, in_channels=1, out_channels=2)") == 45'597'898);
  CHECK(of("nets.UNet(3, 1, 2, (8, 16, 32), (2, 2), num_res_units=1, norm=Norm.BATCH)") == 35'034);
  CHECK(of("nn.Sequential(blocks.Convolution(2, 1, 8, strides=2), blocks.ResidualUnit(2, 8, 16), "
           "blocks.UnetBasicBlock(2, 16, 16, kernel_size=3, stride=1, norm_name='instance'))") ==
        8'323);
}

// Saved tensors of MONAI 1.3 under PyTorch 1.13 on the CPU.
TEST_CASE("what a Swin UNETR keeps is what autograd keeps of it") {
  const Followed volume =
      followed("from monai.networks import nets\n",
               "nets.SwinUNETR(img_size=(64, 64, 64), in_channels=1, out_channels=2, "
               "feature_size=12)",
               "            loss = net(x).mean()\n");
  CHECK(saved(volume, 1, "", 0) == doctest::Approx(866'528'248).epsilon(0.02));
  const Followed flat = followed("from monai.networks import nets\n",
                                 "nets.SwinUNETR(img_size=(96, 96), in_channels=1, out_channels=2, "
                                 "feature_size=24, spatial_dims=2)",
                                 "            loss = net(x).mean()\n");
  CHECK(saved(flat, 2, "", 0) == doctest::Approx(73'229'632).epsilon(0.02));
}

TEST_CASE("a backbone by name in a network of the project is counted with its head") {
  const std::string timm = "import timm\n";
  const Counted b3 = counted(
      timm + around("timm.create_model('tf_efficientnet_b3_ns', num_classes=0)", 1536), "Net()");
  CHECK(b3.parameters == 12'233'232 - 1'537'000 + 3'074);
  CHECK(b3.bounded);
  CHECK(counted(timm + around("timm.create_model('convnext_tiny')", 1000), "Net()").parameters ==
        28'589'128 + 2'002);
  CHECK(counted(timm + around("timm.create_model('vit_base_patch16_224')", 1000), "Net()")
            .parameters == 86'567'656 + 2'002);
  CHECK(counted("import torchvision\n" + around("torchvision.models.vgg16()", 1000), "Net()")
            .parameters == 138'357'544 + 2'002);
}

TEST_CASE("a constant of mathematics is known in a network") {
  const Counted known = counted(
      "import math\nimport numpy as np\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.scale = 2 * math.pi + np.pi\n"
      "        self.head = nn.Linear(3, 2)\n"
      "    def forward(self, x):\n"
      "        return self.head(x.mean(dim=(2, 3)) * self.scale)\n",
      "Net()");
  CHECK(known.parameters == 8);
  CHECK(known.bounded);
}

TEST_CASE("the layers of a backbone up to the last that is asked for are counted and followed") {
  const std::string imports =
      "import torchvision\nfrom torchvision.models._utils import IntermediateLayerGetter\n"
      "from torchvision.ops.misc import FrozenBatchNorm2d\n"
      "class Net(nn.Module):\n"
      "    def __init__(self, **options):\n"
      "        super().__init__()\n"
      "        self.body = IntermediateLayerGetter(torchvision.models.resnet18(**options), "
      "return_layers={'layer2': '0', 'layer4': '1'})\n"
      "        self.head = nn.Linear(512, 2)\n"
      "    def forward(self, x):\n"
      "        found = self.body(x)\n"
      "        return self.head(found['1'].mean(dim=(2, 3)))\n";
  constexpr int kLayers = 11'689'512 - 513'000;  // without the classifier
  const Counted known = counted(imports, "Net()");
  CHECK(known.parameters == kLayers + 1'026);
  CHECK(known.bounded);
  const Counted frozen = counted(imports, "Net(norm_layer=FrozenBatchNorm2d)");
  CHECK(frozen.parameters == kLayers - 9'600 + 1'026);
  CHECK(frozen.bounded);
}

// Counted by timm 0.9 and torchvision 0.14 themselves.
TEST_CASE("a known model with another head has the parameters of that head") {
  const auto of = [](const std::string& made) { return counted("import timm\n", made).parameters; };
  CHECK(of("timm.create_model('resnet18', num_classes=5)") == 11'179'077);
  CHECK(of("timm.create_model('efficientnet_b0', num_classes=5)") == 4'013'953);
  CHECK(of("timm.create_model('vit_small_patch16_224', num_classes=0, img_size=96)") == 21'604'224);
  const std::string replaced =
      "import torchvision\n"
      "def make():\n"
      "    net = torchvision.models.mobilenet_v2()\n"
      "    net.classifier[1] = nn.Linear(net.last_channel, 5)\n"
      "    return net\n";
  CHECK(counted(replaced, "make()").parameters == 2'230'277);
}

TEST_CASE("a network of torch.hub is that of the library whose repository it names") {
  const auto of = [](const std::string& made) { return counted("import torch\n", made).parameters; };
  CHECK(of("torch.hub.load('pytorch/vision', 'resnet18', num_classes=5)") == 11'179'077);
  CHECK(of("torch.hub.load('rwightman/gen-efficientnet-pytorch', 'tf_efficientnet_b0_ns', "
           "pretrained=True, num_classes=5)") == 4'013'953);
  CHECK(of("torch.hub.load('facebookresearch/deit:main', 'deit_tiny_patch16_224')") == 5'717'416);
}

// As openai/whisper's model card has them.
TEST_CASE("a recognizer of whisper is counted by its name, and followed") {
  const auto of = [](const std::string& name) {
    return counted("import whisper\n", "whisper.load_model('" + name + "')").parameters;
  };
  CHECK(of("tiny") == 37'184'640);
  CHECK(of("base.en") == 71'825'408);
  CHECK(of("large-v3") == 1'541'570'560);
  CHECK(of("turbo") == 806'958'080);
}

TEST_CASE("an encoder of text by name is counted") {
  const std::string transformers = "from transformers import AutoModel\n";
  const std::string net =
      "class Net(nn.Module):\n"
      "    def __init__(self, name):\n"
      "        super().__init__()\n"
      "        self.encoder = AutoModel.from_pretrained(name)\n"
      "        self.head = nn.Linear(self.encoder.config.hidden_size, 2)\n"
      "    def forward(self, ids):\n"
      "        return self.head(self.encoder(ids).last_hidden_state[:, 0])\n";
  CHECK(counted(transformers + net, "Net('roberta-base')").parameters == 124'645'632 + 1'538);
  CHECK(counted(transformers + net, "Net('microsoft/deberta-v3-base')").parameters ==
        183'831'552 + 1'538);
  for (const char* name : {"google-bert/bert-base-uncased", "somebody/bert-base-uncased",
                           "../input/bert-base-uncased", "x/bert-base-uncased-squad2",
                           "x/bert-base-uncased-finetuned-a-b", "/data/bert_base_uncased/model"}) {
    CAPTURE(name);
    CHECK(counted(transformers + net, "Net('" + std::string(name) + "')").parameters ==
          109'482'240 + 1'538);
  }
  CHECK(counted(transformers + net, "Net('klue/bert-base')").parameters == 110'617'344 + 1'538);
  // Words of another language are others, so nobody knows how many.
  CHECK(counted(transformers + net, "Net('x/roberta-base-chinese')").parameters < 2'000);
}

TEST_CASE("a class that derives from one of transformers is loaded with its own arguments") {
  const std::string code =
      "import transformers\n"
      "if transformers.__version__.startswith('4'):\n"
      "    from transformers import BertConfig, BertModel\n"
      "else:\n"
      "    from transformers.modeling_bert import BertConfig, BertModel\n"
      "class Encoder(BertModel):\n"
      "    def __init__(self, config, width=0):\n"
      "        BertModel.__init__(self, config)\n"
      "        self.project = nn.Linear(config.hidden_size, width) if width != 0 else None\n"
      "        self.init_weights()\n"
      "    @classmethod\n"
      "    def made(cls, name, width=0, **options):\n"
      "        config = BertConfig.from_pretrained(name)\n"
      "        return cls.from_pretrained(name, config=config, width=width, **options)\n"
      "    def forward(self, ids): return super().forward(ids).pooler_output\n";
  CHECK(counted(code, "Encoder.made('BAAI/bge-base-en-v1.5')").parameters == 109'482'240);
  CHECK(counted(code, "Encoder.made('bert-base-uncased', 2)").parameters == 109'482'240 + 1'538);
  CHECK(counted(code, "Encoder.from_pretrained('bert-base-uncased', width=2, cache_dir='x')")
            .parameters == 109'482'240 + 1'538);
}

// Counted by transformers 4.40 itself.
TEST_CASE("a network of transformers is counted from the config it is built with") {
  const auto of = [](const std::string& names, const std::string& made) {
    return counted("from transformers import " + names + "\n", made).parameters;
  };
  CHECK(of("BertConfig, BertModel", "BertModel(BertConfig())") == 109'482'240);
  CHECK(of("BertConfig, BertForMaskedLM", "BertForMaskedLM(BertConfig(num_hidden_layers=2))") ==
        38'635'578);
  CHECK(of("RobertaConfig, RobertaForSequenceClassification",
           "RobertaForSequenceClassification(RobertaConfig(num_hidden_layers=2, num_labels=3))") ==
        53'768'451);
  CHECK(of("GPT2Config, GPT2LMHeadModel",
           "GPT2LMHeadModel(GPT2Config(n_embd=64, n_layer=2, n_head=2, vocab_size=100, "
           "n_positions=32))") == 108'544);
  CHECK(of("Qwen2Config, Qwen2ForCausalLM",
           "Qwen2ForCausalLM(Qwen2Config(hidden_size=64, num_hidden_layers=2, "
           "num_attention_heads=4, num_key_value_heads=2, intermediate_size=128, "
           "vocab_size=1000))") == 202'304);
  CHECK(of("T5Config, T5ForConditionalGeneration", "T5ForConditionalGeneration(T5Config())") ==
        60'506'624);
  CHECK(of("ViTConfig, ViTForImageClassification",
           "ViTForImageClassification(ViTConfig(num_hidden_layers=2, num_labels=5))") ==
        14'923'781);
  CHECK(of("CLIPConfig, CLIPModel", "CLIPModel(CLIPConfig())") == 151'277'313);
  CHECK(of("Dinov2Config, Dinov2Model", "Dinov2Model(Dinov2Config(num_hidden_layers=2))") ==
        14'923'776);
  CHECK(of("Wav2Vec2Config, Wav2Vec2ForCTC",
           "Wav2Vec2ForCTC(Wav2Vec2Config(num_hidden_layers=2, vocab_size=40))") == 23'523'752);
  CHECK(of("AutoModel, BertConfig", "AutoModel.from_config(BertConfig(num_hidden_layers=2))") ==
        38'603'520);
}

TEST_CASE("what a network of transformers keeps has an upper end") {
  for (const char* made : {"BertModel(BertConfig())", "GPT2LMHeadModel(GPT2Config())",
                           "LlamaForCausalLM(LlamaConfig(num_hidden_layers=2))",
                           "ViTModel(ViTConfig())", "Dinov2Model(Dinov2Config())"}) {
    CAPTURE(made);
    const std::string text = made;
    const std::size_t open = text.find('(');
    const std::string names =
        text.substr(0, open) + ", " + text.substr(open + 1, text.find('(', open + 1) - open - 1);
    CHECK(counted("from transformers import " + names + "\n", made,
                  "            loss = net(x)[0].mean()\n")
              .bounded);
  }
}

TEST_CASE("an encoder of images or speech by name is counted in a network of the project") {
  const auto of = [](const std::string& name, const std::string& type, int width) {
    const std::string net = "from transformers import " + type +
                            "\n"
                            "class Net(nn.Module):\n"
                            "    def __init__(self):\n"
                            "        super().__init__()\n"
                            "        self.encoder = " +
                            type + ".from_pretrained('" + name +
                            "')\n"
                            "        self.head = nn.Linear(" +
                            std::to_string(width) +
                            ", 2)\n"
                            "    def forward(self, x):\n"
                            "        return self.head(self.encoder(x).last_hidden_state[:, 0])\n";
    return counted(net, "Net()").parameters - 2 * width - 2;
  };
  CHECK(of("google/vit-base-patch16-224-in21k", "ViTModel", 768) == 86'389'248);
  CHECK(of("openai/clip-vit-base-patch32", "CLIPVisionModel", 768) == 87'456'000);
  CHECK(of("facebook/dinov2-base", "AutoModel", 768) == 86'580'480);
  CHECK(of("facebook/wav2vec2-large-xlsr-53", "Wav2Vec2Model", 1024) == 315'438'720);
  CHECK(of("x/wav2vec2-large-xlsr-53-german", "Wav2Vec2Model", 1024) == 315'438'720);
}

TEST_CASE("a network that a program enters into a library's registry is built by its name") {
  const std::string entered =
      "from timm.models import create_model\n"
      "from timm.models.registry import register_model\n"
      "class Net(nn.Module):\n"
      "    def __init__(self, width=16, depth=1):\n"
      "        super().__init__()\n"
      "        self.a = nn.Sequential(*[nn.Linear(width, width, bias=False) for _ in range(depth)])\n"
      "    def forward(self, x): return self.a(x)\n"
      "@register_model\n"
      "def our_net(pretrained=False, **kwargs):\n"
      "    return Net(depth=3, **kwargs)\n";
  CHECK(counted(entered, "create_model('our_net')").parameters == 3 * 16 * 16);
  CHECK(counted(entered, "create_model('our_net', width=32)").parameters == 3 * 32 * 32);
  // Published networks are still found beside it.
  CHECK(counted(entered, "create_model('resnet18', num_classes=10)").parameters == 11'181'642);
}

TEST_CASE("a rotary embedding of a library adds frequencies that nothing trains") {
  const std::string net =
      "from rotary_embedding_torch import RotaryEmbedding\n"
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.rotary = RotaryEmbedding(dim=32)\n"
      "        self.a = nn.Linear(64, 64, bias=False)\n"
      "    def forward(self, x): return self.rotary.rotate_queries_or_keys(self.a(x))\n";
  CHECK(counted(net, "Net()").parameters == 64 * 64 + 16);
}

TEST_CASE("a tokenizer of published words and special ones knows as many as its last rank says") {
  const std::string net =
      "import tiktoken\nbase = tiktoken.encoding_for_model('gpt2')\n"
      "words = tiktoken.Encoding(name='more', pat_str='a', mergeable_ranks=base._mergeable_ranks,\n"
      "    special_tokens={w: i + base.n_vocab for i, w in enumerate(['<pad>', '<end>'])})\n"
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.Embedding(words.n_vocab, 4)\n"
      "    def forward(self, x): return self.a(x)\n";
  CHECK(counted(net, "Net()").parameters == (50257 + 2) * 4);
}

}  // namespace library_networks_test
