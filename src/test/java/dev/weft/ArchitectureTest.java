package dev.weft;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import dev.weft.fabric.rules.BannedCalls;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The arrows between modules never turn back (design section 2), and what breaks determinism stays out of the core. */
class ArchitectureTest {
  private static final JavaClasses CLASSES = new ClassFileImporter()
      .withImportOption(location -> !location.contains("test-classes") && !location.contains("-tests.jar"))
      .importPackages("dev.weft");

  /** The real world's side of hca-actor: control verbs and start-up wait for the hardware thread. */
  private static final Set<String> HCA_EXEMPT = Set.of("dev.weft.hca.node.LocalFabric", "dev.weft.hca.node.ClusterFabric");

  /** Sockets live in real time. */
  private static final Set<String> PAGER_EXEMPT = Set.of("dev.weft.pager.nbd.");

  @Test
  void shouldKeepTheArrowsBetweenModules() {
    layeredArchitecture().consideringOnlyDependenciesInAnyPackage("dev.weft..")
        .layer("fabric").definedBy("dev.weft.fabric..")
        .layer("hca").definedBy("dev.weft.hca..")
        .layer("pager").definedBy("dev.weft.pager..")
        .layer("launcher").definedBy("dev.weft.launcher..")
        .whereLayer("launcher").mayNotBeAccessedByAnyLayer()
        .whereLayer("pager").mayOnlyBeAccessedByLayers("launcher")
        .whereLayer("hca").mayOnlyBeAccessedByLayers("pager", "launcher")
        .whereLayer("fabric").mayOnlyBeAccessedByLayers("hca", "pager", "launcher")
        .check(CLASSES);
  }

  @Test
  void shouldHaveNoCyclesBetweenThePackagesOfTheTransport() {
    SlicesRuleDefinition.slices().matching("dev.weft.hca.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  /** Experiments see calibrate rows through Calibration; what the papers predict is for the report alone. */
  @Test
  void shouldReadTheRowsOfThePapersInTheReportOnly() {
    noClasses().that().resideInAnyPackage("dev.weft.fabric..", "dev.weft.hca..", "dev.weft.pager..", "dev.weft.launcher.repro.*..")
        .and().resideOutsideOfPackage("dev.weft.fabric.figures")
        .should().dependOnClassesThat().haveNameMatching("dev\\.weft\\.fabric\\.figures\\.Figures?")
        .check(CLASSES);
  }

  @Test
  void shouldTakeTimeAndRandomnessOnlyFromTheFabric() {
    Set<String> exempt = new HashSet<>(BannedCalls.FABRIC_EXEMPT);
    exempt.addAll(HCA_EXEMPT);
    exempt.addAll(PAGER_EXEMPT);
    exempt.add("dev.weft.fabric.cluster.");
    assertEquals(List.of(), BannedCalls.violations(exempt, "dev.weft.fabric", "dev.weft.hca", "dev.weft.pager"));
  }
}
