// Each further period is the folded one with later numbers. It reads storages of its own, of the
// period before (handed on), and some from before the first period, which stay. What follows the
// fold reads of the last period what it reads of the folded one.

#include "model/fold.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace gpulint::model {

class Unfolding {
 public:
  explicit Unfolding(Tape& tape) : tape_(tape) {}

  void run() {
    // From the last one on, so that the places of those before it stay true.
    for (; !tape_.folds_.empty(); tape_.folds_.pop_back()) write_out(tape_.folds_.back());
  }

 private:
  template <class T>
  struct Parts {
    std::vector<T> whole;  // what stands before the end of the fold, with room for all
    std::vector<T> rest;
  };
  template <class T>
  static Parts<T> split(std::vector<T>& list, std::size_t at, std::size_t more) {
    Parts<T> parts;
    parts.rest.assign(std::make_move_iterator(list.begin() + static_cast<std::ptrdiff_t>(at)),
                      std::make_move_iterator(list.end()));
    list.resize(at);
    list.reserve(at + more + parts.rest.size());
    parts.whole = std::move(list);
    return parts;
  }

  static std::uint32_t later(std::size_t number, std::size_t by) {
    return static_cast<std::uint32_t>(number + by);
  }
  static void move(StorageId& id, std::size_t from, std::size_t by) {
    if (id != kNoStorage && id >= from) id = later(id, by);
  }

  void write_out(const Fold& fold) {
    write_storages(fold);
    write_links(fold);
    write_operators(fold);
    write_blocks(fold);
    tape_.copied_operators_ += fold.times * fold.period.operators;
  }

  void write_storages(const Fold& fold) {
    const std::size_t first = fold.end.storages - fold.period.storages;
    const std::size_t added = fold.times * fold.period.storages;
    const std::size_t operators = fold.times * fold.period.operators;
    const std::size_t blocks = fold.times * fold.period.blocks;
    auto [whole, rest] = split(tape_.storages_, fold.end.storages, added);
    for (std::size_t id = 0; id < first; ++id) {
      Storage& storage = whole[id];
      if (storage.last_used_by >= fold.end.operators)
        storage.last_used_by = later(storage.last_used_by, operators);
      move(storage.half_copy, fold.end.storages, added);
      move(storage.full_copy, fold.end.storages, added);
      if (storage.saved_in_block > fold.end.blocks)
        storage.saved_in_block = later(storage.saved_in_block, blocks);
    }
    for (std::size_t copy = 1; copy <= fold.times; ++copy) {
      for (std::size_t id = first; id < fold.end.storages; ++id) {
        Storage storage = whole[id];
        storage.created_by = later(storage.created_by, copy * fold.period.operators);
        storage.last_used_by = later(storage.last_used_by, copy * fold.period.operators);
        move(storage.half_copy, first - fold.period.storages, copy * fold.period.storages);
        move(storage.full_copy, first - fold.period.storages, copy * fold.period.storages);
        if (storage.saved_in_block != 0)
          storage.saved_in_block = later(storage.saved_in_block, copy * fold.period.blocks);
        whole.push_back(storage);
      }
    }
    for (Storage& storage : rest) {
      storage.created_by = later(storage.created_by, operators);
      storage.last_used_by = later(storage.last_used_by, operators);
      move(storage.half_copy, first, added);
      move(storage.full_copy, first, added);
      if (storage.saved_in_block > fold.end.blocks)
        storage.saved_in_block = later(storage.saved_in_block, blocks);
      whole.push_back(storage);
    }
    tape_.storages_ = std::move(whole);
  }

  void write_links(const Fold& fold) {
    const std::size_t first = fold.end.storages - fold.period.storages;
    auto [whole, rest] = split(tape_.links_, fold.end.links, fold.times * fold.period.links);
    for (std::size_t copy = 1; copy <= fold.times; ++copy) {
      for (std::size_t i = fold.end.links - fold.period.links; i < fold.end.links; ++i) {
        Link link = whole[i];
        move(link.storage, first - fold.period.storages, copy * fold.period.storages);
        whole.push_back(link);
      }
    }
    for (Link& link : rest) {
      move(link.storage, first, fold.times * fold.period.storages);
      whole.push_back(link);
    }
    tape_.links_ = std::move(whole);
  }

  void write_operators(const Fold& fold) {
    auto [whole, rest] =
        split(tape_.operators_, fold.end.operators, fold.times * fold.period.operators);
    const auto add = [&list = whole, &fold](Operator op, std::size_t copy) {
      op.first_link = later(op.first_link, copy * fold.period.links);
      if (op.block != 0) op.block = later(op.block, copy * fold.period.blocks);
      list.push_back(op);
    };
    for (std::size_t copy = 1; copy <= fold.times; ++copy) {
      for (std::size_t i = fold.end.operators - fold.period.operators; i < fold.end.operators; ++i)
        add(whole[i], copy);
    }
    for (const Operator& op : rest) add(op, fold.times);
    tape_.operators_ = std::move(whole);
  }

  void write_blocks(const Fold& fold) {
    auto [whole, rest] = split(tape_.blocks_, fold.end.blocks, fold.times * fold.period.blocks);
    const auto add = [&list = whole, &fold](Block block, std::size_t copy) {
      block.first_operator = later(block.first_operator, copy * fold.period.operators);
      list.push_back(std::move(block));
    };
    for (std::size_t copy = 1; copy <= fold.times; ++copy) {
      for (std::size_t i = fold.end.blocks - fold.period.blocks; i < fold.end.blocks; ++i)
        add(whole[i], copy);
    }
    for (Block& block : rest) add(std::move(block), fold.times);
    tape_.blocks_ = std::move(whole);
  }

  Tape& tape_;
};

Tape unfold(Tape tape) {
  Unfolding(tape).run();
  return tape;
}

}  // namespace gpulint::model
