/**
 * The simulation kit: the common part of simulations from seeds. A {@link dev.weft.lab.kit.Workload} adds its own part; begin there. It extends
 * {@link dev.weft.lab.kit.FaultWorkload}, {@link dev.weft.lab.kit.FaultOptions} and {@link dev.weft.lab.kit.FabricRun} if it is a run of roles on a
 * fabric. A seed draws everything ({@link dev.weft.lab.kit.Draw}). Faults follow a plan that a driver carries out ({@link dev.weft.lab.kit.FaultPlan},
 * {@link dev.weft.lab.kit.FaultDriver}). Checkers report violations. {@link dev.weft.lab.kit.SeedRunner} runs ranges of seeds, one in twenty twice,
 * and compares traces. Failing runs are shrunk ({@link dev.weft.lab.kit.Shrinker}) and drawn ({@link dev.weft.lab.kit.Chart}).
 *
 * <p>No code here reads the machine's clock or randomness, and none depends on a workload.
 */
package dev.weft.lab.kit;
