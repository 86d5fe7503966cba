/**
 * The simulation kit: what simulations from seeds share, and a {@link dev.weft.lab.kit.Workload} brings what is its own. A seed draws
 * everything ({@link dev.weft.lab.kit.Draw}), faults by a plan that a driver makes happen ({@link dev.weft.lab.kit.FaultPlan}, {@link
 * dev.weft.lab.kit.FaultDriver}); checkers say what is wrong; {@link dev.weft.lab.kit.SeedRunner} runs ranges of seeds, one in twenty twice,
 * and compares traces; what fails is cut down ({@link dev.weft.lab.kit.Shrinker}) and drawn ({@link dev.weft.lab.kit.Chart}).
 *
 * <p>Nothing here asks the machine for the time or for randomness, and nothing knows a workload.
 */
package dev.weft.lab.kit;
