#include <farfield/report.hpp>

#include "backends/cuda/far/translations.hpp"
#include "backends/cuda/levels/stages.hpp"
#include "kernels/traits.hpp"
#include "model/cost_model.hpp"

namespace farfield::cuda {

template <class Real>
Translations<Real>::Translations(DeviceMemory& memory)
    : memory_(memory),
      levels_(memory),
      level_tensor_(memory),
      octants_(memory),
      rows_(memory),
      tensor_(memory),
      mirror_(memory),
      planar_(memory) {}

/// Dense m2l of a kernel whose expansions are cut off: tensor cores may do it.
static bool is_dense(const Decision& d) {
  return traits(d.kernel).truncates && !traits(d.kernel).factors && !d.rotation;
}

/// Is dense m2l by mirror images? Its tables are those of the rotation.
template <class Real>
static bool mirrored(const Decision& d) {
  return sizeof(Real) == 8 && is_dense(d) && d.degree >= least_mirror_degree && MirrorM2l::available(d.degree);
}

template <class Real>
static TensorEngine engine_of(const Decision& d) {
  return sizeof(Real) == 4 && is_dense(d) && !d.exact_operands ? tensor_engine(d.degree) : TensorEngine::none;
}

/// `choose` counts on tensor cores. Where the device has none for double at this degree, rotation replaces a dense
/// scheme that nobody asked for, unless dense is cheaper even so.
template <class Real>
static void settle_scheme(Decision& d, Report& report) {
  CostConstants c = device_cost_constants(d.kernel, d.precision, d.gradient);
  c.tensor = nullptr;
  if (sizeof(Real) == 4 || mirrored<Real>(d) || !is_dense(d) || !d.any_scheme ||
      translation_cost(c, d.degree, false) < translation_cost(c, d.degree, true))
    return;
  d.rotation = true;
  report.m2l = "rotation";
  for (Choice& choice : report.choices)
    if (choice.name == "m2l") choice = {"m2l", "rotation", "this device has no tensor cores for double at this degree"};
}

template <class Real>
void Translations<Real>::build_for_walks(const Decision& d, const TreeView& tree, int threads, cudaStream_t stream) {
  constexpr M2lScheme none{true, false, false};
  tables_ = shared_tables<Real>(d.kernel, d.degree, none, stream, threads);
  planar_.build(d.kernel, view().degree, stream);
  mirror_.release();
  tensor_.release();
  rows_.release();
  if (planar_.view().ready) return;
  if (!traits(d.kernel).scale_invariant) {
    const double root = d.parameters.screening * tree.lattice.edge(0);
    levels_.build({d.kernel, d.degree, none, root, tree.levels}, stream, threads);
  }
  octants_.build(view(), stream);
}

/// The operands' scale is that of the whole tree.
static void settle_scale(TensorM2l& tensor, const WholeTree& whole, cudaStream_t stream) {
  std::vector<std::uint32_t> most = tensor.most_sources(stream);
  whole.most(most);
  tensor.use_most_sources(most, stream);
}

template <class Real>
void Translations<Real>::build_levels(const Decision& d, const TreeView& tree, int threads, cudaStream_t stream,
                                      Report& report, const WholeTree* whole) {
  tables_ = shared_tables<Real>(d.kernel, d.degree, {d.rotation, d.reduced}, stream, threads);
  const double root = d.parameters.screening * tree.lattice.edge(0);
  const int levels = whole ? whole->levels : tree.levels;
  levels_.build({d.kernel, d.degree, {d.rotation, d.reduced}, root, levels}, stream, threads);
  octants_.build(view(), stream);
  rows_.build(tree, stream);
  level_tensor_.release();
  if constexpr (sizeof(Real) == 4) {
    const TensorEngine engine = engine_of<Real>(d);
    if (engine == TensorEngine::none) return;
    const LevelSets sets{levels_.view().host, levels};
    level_tensor_.build(sets, root, tree, engine, stream);
    if (whole) settle_scale(level_tensor_.operands(), *whole, stream);
    report.choices.push_back(
        {"m2l arithmetic", level_tensor_.arithmetic(), "tensor cores are faster than FMA at this degree"});
  }
}

template <class Real>
void Translations<Real>::count_shared() {
  const std::int64_t held = (tables_ ? tables_->held_bytes() : 0) + mirror_.shared_bytes();
  memory_.meter.add(held - counted_);
  counted_ = held;
}

template <class Real>
void Translations<Real>::build(Decision& d, const TreeView& tree, int threads, cudaStream_t stream, Report& report,
                               const WholeTree* whole) {
  if (d.method == Method::treecode)
    build_for_walks(d, tree, threads, stream);
  else if (!traits(d.kernel).scale_invariant)
    build_levels(d, tree, threads, stream, report, whole);
  else
    build_for_all_levels(d, tree, threads, stream, report, whole);
  count_shared();
}

static Fit fit_of(const Decision& d) {
  return !d.fits() ? Fit::none : d.judged_from > 0 ? Fit::for_gradient : Fit::for_all;
}

/// Returns what m2l runs on: none where the operands of dipoles would leave their range.
template <class Real>
TensorEngine Translations<Real>::build_tensor(TensorEngine engine, const Decision& d, const TreeView& tree,
                                              cudaStream_t stream, const WholeTree* whole) {
  tensor_.release();
  if constexpr (sizeof(Real) == 4) {
    if (engine == TensorEngine::none) return engine;
    tensor_.set_tolerance(d.fits() && d.coarse_operands ? d.tolerance : 0);
    tensor_.build(view(), tree, engine, stream);
    if (whole) settle_scale(tensor_, *whole, stream);
    if (!d.dipoles || tensor_.allow_dipoles(tree.lattice, whole ? whole->levels : tree.levels, stream)) return engine;
    tensor_.release();
  }
  return TensorEngine::none;
}

/// One set of tables serves all levels.
template <class Real>
void Translations<Real>::build_for_all_levels(Decision& d, const TreeView& tree, int threads, cudaStream_t stream,
                                              Report& report, const WholeTree* whole) {
  settle_scheme<Real>(d, report);
  const bool by_mirrors = mirrored<Real>(d);
  tables_ =
      shared_tables<Real>(d.kernel, d.degree, {d.rotation || by_mirrors, d.reduced, true, fit_of(d)}, stream, threads);
  planar_.build(d.kernel, view().degree, stream);
  if (planar_.view().ready) return;  // it has no others
  octants_.build(view(), stream);
  mirror_.release();
  if constexpr (sizeof(Real) == 8)
    if (by_mirrors) mirror_.build(view(), tree, stream, threads);
  const TensorEngine engine = build_tensor(engine_of<Real>(d), d, tree, stream, whole);
  if (by_mirrors)
    report.choices.push_back(
        {"m2l arithmetic", "double on tensor cores, mirror images together", "a fifth of the products"});
  if (engine != TensorEngine::none)
    report.choices.push_back(
        {"m2l arithmetic", tensor_.arithmetic(), "tensor cores are faster than FMA at this degree"});
  if (d.fits())
    report.choices.push_back({"m2l operators", "fitted", "by least squares in the boxes, for a lower degree"});
  // m2l on tensor cores has rows of its own: these are then only needed by an l2l that does not go by octants
  if ((by_mirrors || engine != TensorEngine::none) && l2l_by_octants<Real>(view().coefficients))
    rows_.release();
  else
    rows_.build(tree, stream);
}

template <class Real>
void Translations<Real>::bind(Work<Real>& work) const {
  work.tables = view();
  work.octants = octants_.view();
  work.classes = rows_.classes();
  work.tensor = level_tensor_.view().ready ? level_tensor_.view() : tensor_.view();
  work.mirror = mirror_.view();
  work.planar = planar_.view();
}

template <class Real>
void Translations<Real>::make_room(int densities) {
  if (tensor_.view().ready) tensor_.make_room(densities);
  if (mirror_.view().ready) mirror_.make_room(densities);
}

template <class Real>
void Translations<Real>::bind_operands(Work<Real>& work, int density) const {
  if (tensor_.view().ready) work.tensor = tensor_.view_of(density);
  if (work.mirror.ready) work.mirror = mirror_.view_of(density);
}

template class Translations<float>;
template class Translations<double>;

}  // namespace farfield::cuda
