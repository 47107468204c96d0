#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/boxes/box_rows.hpp"

namespace farfield::distributed {
namespace {

using farfield::cuda::for_each_index;

/// Which number of a row a thread moves.
struct RowPlace {
  std::int64_t row;
  int vector, number;
  __device__ RowPlace(std::int64_t i, int vectors, int width)
      : row(i / (vectors * width)),
        vector(static_cast<int>(i % (vectors * width)) / width),
        number(static_cast<int>(i % width)) {}
};

template <class T>
struct Pack {
  BoxRowsOf<T> of;
  const BoxId* box;
  T* out;
  __device__ void operator()(std::int64_t i) const {
    const RowPlace at(i, of.vectors, of.width);
    out[i] = of.own[at.vector * of.own_pitch + std::int64_t(box[at.row]) * of.stride + at.number];
  }
};

template <class T>
struct Unpack {
  BoxRowsOf<T> of;
  const BoxId* box;
  const T* in;
  __device__ void operator()(std::int64_t i) const {
    const RowPlace at(i, of.vectors, of.width);
    const BoxId to = box[at.row];
    T* const numbers = to >= 0 ? of.essential + at.vector * of.essential_pitch + std::int64_t(to) * of.stride
                               : of.top + at.vector * of.top_pitch + std::int64_t(~to) * of.stride;
    numbers[at.number] = in[i];
  }
};

template <class T>
struct ToTop {
  BoxRowsOf<T> of;
  const BoxId *made, *top;
  __device__ void operator()(std::int64_t i) const {
    const RowPlace at(i, of.vectors, of.width);
    of.top[at.vector * of.top_pitch + std::int64_t(top[at.row]) * of.stride + at.number] =
        of.own[at.vector * of.own_pitch + std::int64_t(made[at.row]) * of.stride + at.number];
  }
};

void append(OnDevice<BoxId>& to, std::int64_t& at, const BoxId* from, std::int64_t count, cudaMemcpyKind kind,
            cudaStream_t stream) {
  if (count == 0) return;
  farfield::cuda::require(
      cudaMemcpyAsync(to.data() + at, from, static_cast<std::size_t>(count) * sizeof(BoxId), kind, stream),
      "cudaMemcpyAsync");
  at += count;
}

}  // namespace

BoxRows::BoxRows(farfield::cuda::DeviceMemory& memory) { use_all(memory, send_, receive_, made_, top_, out_, in_); }

/// One part for each other rank: the boxes that the top needs, then the ghosts.
void BoxRows::build(const DeviceShare& share, int own_rank, cudaStream_t stream) {
  const std::size_t ranks = share.sends.box_begin.size() - 1, own = static_cast<std::size_t>(own_rank);
  std::vector<std::int64_t> sent(ranks, 0), received(ranks, 0);
  const auto ghosts = [](const DeviceHalo& halo, std::size_t r) { return halo.box_begin[r + 1] - halo.box_begin[r]; };
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == own) continue;
    sent[r] = std::ssize(share.top.own) + ghosts(share.sends, r);
    received[r] = std::ssize(share.top.of_rank[r]) + ghosts(share.receives, r);
  }
  sent_ = begins_of(sent), received_ = begins_of(received);
  send_.resize(sent_.back()), receive_.resize(received_.back());
  std::int64_t to_send = 0, to_receive = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == own) continue;
    std::vector<BoxId> top = share.top.of_rank[r];
    for (BoxId& box : top) box = ~box;
    append(send_, to_send, share.top.own.data(), std::ssize(share.top.own), cudaMemcpyHostToDevice, stream);
    append(send_, to_send, share.sends.boxes.data() + share.sends.box_begin[r], ghosts(share.sends, r),
           cudaMemcpyDeviceToDevice, stream);
    append(receive_, to_receive, top.data(), std::ssize(top), cudaMemcpyHostToDevice, stream);
    append(receive_, to_receive, share.receives.boxes.data() + share.receives.box_begin[r], ghosts(share.receives, r),
           cudaMemcpyDeviceToDevice, stream);
  }
  farfield::cuda::upload(made_, share.top.own.data(), std::ssize(share.top.own), stream);
  farfield::cuda::upload(top_, share.top.of_rank[own].data(), std::ssize(share.top.of_rank[own]), stream);
}

template <class T>
void BoxRows::fetch(Transport& transport, const BoxRowsOf<T>& of, cudaStream_t stream) {
  const std::int64_t row = std::int64_t(of.vectors) * of.width, bytes = row * static_cast<std::int64_t>(sizeof(T));
  out_.resize(sent_.back() * bytes), in_.resize(received_.back() * bytes);
  T *const out = reinterpret_cast<T*>(out_.data()), *const in = reinterpret_cast<T*>(in_.data());
  for_each_index(send_.size() * row, Pack<T>{of, send_.data(), out}, stream, "rows of boxes to send");
  for_each_index(made_.size() * row, ToTop<T>{of, made_.data(), top_.data()}, stream, "rows of the top");
  transport.exchange(out, sent_, in, received_, bytes, stream);
  for_each_index(receive_.size() * row, Unpack<T>{of, receive_.data(), in}, stream, "rows of boxes received");
}

template void BoxRows::fetch(Transport&, const BoxRowsOf<float>&, cudaStream_t);
template void BoxRows::fetch(Transport&, const BoxRowsOf<double>&, cudaStream_t);

}  // namespace farfield::distributed
