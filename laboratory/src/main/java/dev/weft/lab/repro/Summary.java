package dev.weft.lab.repro;

import dev.weft.lab.figures.Figure;
import dev.weft.lab.figures.Figures;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What came of all rows of some runs. A row that several experiments answer counts once. Predicted rows of {@code figures.csv} are within,
 * differ, are not modelled, were not run, or are derived.
 *
 * @param within predicted rows within their tolerance
 * @param byChoice of them those that hang on a choice which the report names
 * @param differ predicted rows outside it
 * @param notModelled predicted rows that no experiment speaks to
 * @param notRun predicted rows whose experiment is not among the runs
 * @param calibratedWithin rows that a profile is fitted to, which a run came back to within their tolerance
 * @param calibratedDiffer such rows outside it
 * @param derivedPredicted predicted rows that follow from what goes in
 * @param derivedCalibrated calibrated rows that do
 */
record Summary(long within, long byChoice, long differ, long notModelled, long notRun, long calibratedWithin, long calibratedDiffer,
    long derivedPredicted, long derivedCalibrated) {
  static Summary of(List<Run> runs, Figures figures) {
    List<Comparison> all = runs.stream().flatMap(run -> run.comparisons().stream()).toList();
    Set<String> predicted = ids(all, Figure.Use.PREDICT, c -> !c.isDerived());
    Set<String> predictedOff = ids(all, Figure.Use.PREDICT, c -> !c.isDerived() && !c.isWithin());
    Set<String> byChoice = ids(all, Figure.Use.PREDICT, c -> !c.isDerived() && c.isWithin() && !c.choice().isEmpty());
    Set<String> calibrated = ids(all, Figure.Use.CALIBRATE, c -> !c.isDerived());
    Set<String> calibratedOff = ids(all, Figure.Use.CALIBRATE, c -> !c.isDerived() && !c.isWithin());
    Set<String> derivedPredicted = ids(all, Figure.Use.PREDICT, Comparison::isDerived);
    Set<String> derivedCalibrated = ids(all, Figure.Use.CALIBRATE, Comparison::isDerived);
    long notModelled = 0;
    long notRun = 0;
    for (Figure row : figures.all()) {
      if (row.use() == Figure.Use.PREDICT && !predicted.contains(row.id()) && !derivedPredicted.contains(row.id())) {
        boolean isSilent = Experiments.speakingTo(row.id(), Experiments.all()).isEmpty();
        notModelled += isSilent ? 1 : 0;
        notRun += isSilent ? 0 : 1;
      }
    }
    return new Summary(predicted.size() - predictedOff.size(), byChoice.size(), predictedOff.size(), notModelled, notRun,
        calibrated.size() - calibratedOff.size(), calibratedOff.size(), derivedPredicted.size(), derivedCalibrated.size());
  }

  private static Set<String> ids(List<Comparison> all, Figure.Use use, Predicate<Comparison> which) {
    Set<String> ids = new HashSet<>();
    all.stream().filter(c -> c.row().use() == use).filter(which).forEach(c -> ids.add(c.row().id()));
    return ids;
  }

  /** Predicted rows in one line. */
  String predictedText() {
    return "predicted: " + within + " within tolerance" + (byChoice > 0 ? " (" + byChoice + " of them by a choice that the report names)" : "")
        + ", " + differ + " differ, " + notModelled + " not modelled" + (notRun > 0 ? ", " + notRun + " not run" : "");
  }

  /** What is counted apart, in one line. */
  String apartText() {
    return "apart: calibrated: " + calibratedWithin + " within tolerance, " + calibratedDiffer + " differ; follow from inputs: "
        + (derivedPredicted + derivedCalibrated) + " (" + derivedPredicted + " of the predicted rows, " + derivedCalibrated
        + " of the calibrated)";
  }

  Map<String, Object> tree() {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("predicted", counts("withinTolerance", within, "ofThemByChoice", byChoice, "differ", differ, "notModelled", notModelled,
        "notRun", notRun));
    tree.put("calibrated", counts("withinTolerance", calibratedWithin, "differ", calibratedDiffer));
    tree.put("derived", counts("predicted", derivedPredicted, "calibrated", derivedCalibrated));
    return tree;
  }

  private static Map<String, Object> counts(Object... namesAndNumbers) {
    Map<String, Object> tree = new LinkedHashMap<>();
    for (int i = 0; i < namesAndNumbers.length; i += 2) {
      tree.put((String) namesAndNumbers[i], namesAndNumbers[i + 1]);
    }
    return tree;
  }
}
