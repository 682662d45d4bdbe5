# The PyTorch side of bench/train.mjs: the same model, batch and step as a plain loop, in float32 with a key-value cache.
#
# Reads one JSON document from stdin: { config, weights, threads, prompts, draws, maxTokens, endToken, sequences,
# advantages, repetitions }; writes one: seconds of every repetition of sampling, scoring, update, and tokens of each.

import json
import sys
import time

import torch
import torch.nn.functional as F

job = json.load(sys.stdin)
torch.set_num_threads(job["threads"])
torch.manual_seed(1)
config = job["config"]
HEADS = config["num_attention_heads"]
KV_HEADS = config["num_key_value_heads"]
DIM = config["head_dim"]
LAYERS = config["num_hidden_layers"]
EPS = config["rms_norm_eps"]


def parameters():
    hidden, inner, vocab = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    packed = (HEADS + 2 * KV_HEADS) * DIM
    matrix = lambda *shape: torch.nn.Parameter(torch.randn(*shape) * 0.12)
    params = {"embedding": matrix(vocab, hidden), "final_norm": torch.nn.Parameter(torch.ones(hidden))}
    for layer in range(LAYERS):
        params[f"{layer}.attention_norm"] = torch.nn.Parameter(torch.ones(hidden))
        params[f"{layer}.qkv"] = matrix(packed, hidden)
        params[f"{layer}.qkv_bias"] = torch.nn.Parameter(torch.zeros(packed))
        params[f"{layer}.attention_out"] = matrix(hidden, HEADS * DIM)
        params[f"{layer}.mlp_norm"] = torch.nn.Parameter(torch.ones(hidden))
        params[f"{layer}.gate_up"] = matrix(2 * inner, hidden)
        params[f"{layer}.mlp_out"] = matrix(hidden, inner)
    return params


P = parameters()
frequency = config["rope_theta"] ** (-torch.arange(0, DIM, 2) / DIM)
angle = torch.outer(torch.arange(job["capacity"]), frequency)
COS, SIN = torch.cat([angle.cos()] * 2, -1), torch.cat([angle.sin()] * 2, -1)  # [positions, DIM]


def rotate(x, positions):
    """x: [batch, heads, length, DIM]; positions: [batch, length]"""
    half = torch.cat([-x[..., DIM // 2 :], x[..., : DIM // 2]], -1)
    return x * COS[positions].unsqueeze(1) + half * SIN[positions].unsqueeze(1)


def rms_norm(x, weight):
    return F.rms_norm(x, (x.shape[-1],), weight, EPS)


def forward(tokens, positions, cache=None, mask=None):
    """tokens, positions: [batch, length]; with a cache the keys before are read from it. Returns [batch, length, hidden]."""
    batch, length = tokens.shape
    x = P["embedding"][tokens]
    for layer in range(LAYERS):
        qkv = F.linear(rms_norm(x, P[f"{layer}.attention_norm"]), P[f"{layer}.qkv"], P[f"{layer}.qkv_bias"])
        q, k, v = qkv.split([HEADS * DIM, KV_HEADS * DIM, KV_HEADS * DIM], -1)
        split = lambda t: t.view(batch, length, -1, DIM).transpose(1, 2)
        q, k, v = rotate(split(q), positions), rotate(split(k), positions), split(v)
        if cache is not None:
            k, v = cache.append(layer, k, v)
        if KV_HEADS != HEADS:
            k, v = (t.repeat_interleave(HEADS // KV_HEADS, 1) for t in (k, v))
        causal = mask is None and length > 1
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        x = x + F.linear(mixed.transpose(1, 2).reshape(batch, length, -1), P[f"{layer}.attention_out"])
        gate, up = F.linear(rms_norm(x, P[f"{layer}.mlp_norm"]), P[f"{layer}.gate_up"]).chunk(2, -1)
        x = x + F.linear(F.silu(gate) * up, P[f"{layer}.mlp_out"])
    return rms_norm(x, P["final_norm"])


class Cache:
    """Keys and values in memory that is taken once."""

    def __init__(self, batch):
        self.k = torch.zeros(LAYERS, batch, KV_HEADS, job["capacity"], DIM)
        self.v = torch.zeros_like(self.k)
        self.length = 0

    def append(self, layer, k, v):
        end = self.length + k.shape[2]
        self.k[layer, :, :, self.length : end] = k
        self.v[layer, :, :, self.length : end] = v
        if layer == LAYERS - 1:
            self.length = end
        return self.k[layer, :, :, :end], self.v[layer, :, :, :end]


def left_padded(rows):
    """Rows of ids, padded on the left to one length, so that all end together; and how many are padding."""
    longest = max(map(len, rows))
    pads = torch.tensor([longest - len(row) for row in rows])
    return torch.tensor([[0] * (longest - len(row)) + row for row in rows]), pads


@torch.inference_mode()
def sample():
    """Draws `lengths[i]` tokens for each row, as many as ours drew there, so that both do the same work; rows that are done stay in the batch until the longest is."""
    rows = [prompt for prompt in job["prompts"] for _ in range(job["draws"])]
    tokens, pads = left_padded(rows)
    cache = Cache(len(rows))
    columns = torch.arange(job["capacity"])
    prompt_length = tokens.shape[1]
    positions = (torch.arange(prompt_length) - pads.unsqueeze(1)).clamp(min=0)
    visible = columns[:prompt_length] >= pads.unsqueeze(1)
    causal = torch.ones(prompt_length, prompt_length, dtype=torch.bool).tril() | torch.eye(prompt_length, dtype=torch.bool)
    mask = (causal & visible.unsqueeze(1)) | torch.eye(prompt_length, dtype=torch.bool)
    hidden = forward(tokens, positions, cache, mask.unsqueeze(1))[:, -1]
    for step in range(max(job["lengths"])):
        logprobs = F.log_softmax(F.linear(hidden, P["embedding"]), -1)
        drawn = torch.multinomial(logprobs.exp(), 1)
        logprobs.gather(1, drawn)
        if step + 1 == max(job["lengths"]):
            break
        seen = columns[: cache.length + 1] >= pads.unsqueeze(1)
        position = prompt_length + step - pads.unsqueeze(1)
        hidden = forward(drawn, position, cache, seen[:, None, None, :])[:, -1]


def padded(sequences):
    """Right-padded ids, and for each response token its row, the column that predicts it, and its id."""
    longest = max(len(s["prompt"]) + len(s["response"]) for s in sequences)
    ids = torch.zeros(len(sequences), longest, dtype=torch.long)
    rows, columns, targets = [], [], []
    for i, s in enumerate(sequences):
        whole = s["prompt"] + s["response"]
        ids[i, : len(whole)] = torch.tensor(whole)
        rows += [i] * len(s["response"])
        columns += range(len(s["prompt"]) - 1, len(whole) - 1)
        targets += s["response"]
    return ids, torch.tensor(rows), torch.tensor(columns), torch.tensor(targets)


def logprobs_of(sequences):
    ids, rows, columns, targets = padded(sequences)
    hidden = forward(ids, torch.arange(ids.shape[1]).expand_as(ids))[rows, columns]
    return F.log_softmax(F.linear(hidden, P["embedding"]), -1).gather(1, targets.unsqueeze(1)).squeeze(1), rows


@torch.inference_mode()
def score():
    logprobs_of(job["sequences"])


optimizer = torch.optim.AdamW(P.values(), lr=1e-5, betas=(0.9, 0.99), weight_decay=0)


def update(part):
    """One clipped update on the sequences that carry an advantage."""
    sequences = [job["sequences"][i] for i in part]
    advantage = torch.tensor([job["advantages"][i] for i in part])
    logprob, rows = logprobs_of(sequences)
    ratio = (logprob - logprob.detach()).exp()
    gain = torch.minimum(ratio * advantage[rows], ratio.clamp(0.8, 1.2) * advantage[rows])
    optimizer.zero_grad(set_to_none=True)
    (-gain.sum() / len(rows)).backward()
    torch.nn.utils.clip_grad_norm_(P.values(), 1)
    optimizer.step()


def updates():
    for part in job["minibatches"]:
        update(part)


def seconds(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


matrix = torch.randn(512, 512)
report = {"sampling": [], "scoring": [], "update": [], "product": [], "version": torch.__version__}
for repetition in range(job["repetitions"] + 2):
    times = {"sampling": seconds(sample), "scoring": seconds(score), "update": seconds(updates)}
    with torch.inference_mode():
        times["product"] = min(seconds(lambda: matrix @ matrix) for _ in range(5))
    if repetition >= 2:  # The first two warm up.
        for name, value in times.items():
            report[name].append(value)
json.dump(report, sys.stdout)
