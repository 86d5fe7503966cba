package dev.weft;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import dev.weft.fabric.rules.BannedCalls;
import dev.weft.lab.figures.Figures;
import dev.weft.lab.repro.Experiment;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.Setting;
import dev.weft.service.Service;
import dev.weft.tripwire.device.NicDevice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The arrows between modules never turn back (design section 2), and what breaks determinism stays out of the core. */
@Tag("slow")
@Tag("actor")
class ArchitectureTest {
  private static final JavaClasses CLASSES = new ClassFileImporter()
      .withImportOption(location -> !location.contains("test-classes") && !location.contains("-tests.jar"))
      .importPackages("dev.weft");

  /** The real world's side of hca-actor: control verbs and start-up wait for the hardware thread. */
  private static final Set<String> HCA_EXEMPT = Set.of("dev.weft.hca.node.LocalFabric", "dev.weft.hca.node.ClusterFabric",
      "dev.weft.hca.node.LeavingFabric");

  /** Sockets and FUSE live in real time, and so do the services' parts in the JVMs of a fabric. */
  private static final Set<String> SERVICES_EXEMPT = Set.of("dev.weft.pager.nbd.", "dev.weft.pager.service.BlockDevices",
      "dev.weft.pager.service.MemoryServers", "dev.weft.pager.service.Replacement", "dev.weft.tripwire.service.NicSection",
      "dev.weft.dsm.mmu.",
      "dev.weft.dsm.service.DsmNodes", "dev.weft.pvfs.fuse.", "dev.weft.pvfs.service.", "dev.weft.pvfs.tcp.");

  /** What threads of a program call, in its own time: java.nio.file, futures, waiting for a lock or for room, and a clock for the program's own work. */
  private static final Set<String> PROGRAMS_EXEMPT = Set.of("dev.weft.pvfs.nio.", "dev.weft.pvfs.files.Engine", "dev.weft.pvfs.files.PvfsFile",
      "dev.weft.pvfs.meta.EventReader", "dev.weft.pvfs.meta.LockClient", "dev.weft.pvfs.meta.MetaClient", "dev.weft.pvfs.check.FileSystemCheck");

  /** The disks and the processes of this machine, what measures it, and the fabric's command line and HTTP. */
  private static final Set<String> MACHINE_EXEMPT = Set.of("dev.weft.pvfs.daemon.LinuxDisk", "dev.weft.service.access.", "dev.weft.service.process.",
      "dev.weft.service.terminal.", "dev.weft.perftest.",
      "dev.weft.launcher.capture.PcapngMerge", "dev.weft.launcher.cluster.", "dev.weft.launcher.http.");

  /** What talks to people, and what measures this machine. */
  private static final Set<String> LABORATORY_EXEMPT = Set.of("dev.weft.lab.sim.SimCommand", "dev.weft.lab.scale.ScaleCost", "dev.weft.lab.trials.");

  /** What a service may stand on; the launcher and the laboratory stand on these, too. */
  private static final List<String> BASE = List.of("dev.weft.fabric", "dev.weft.hca", "dev.weft.service");
  private static final String LABORATORY = "dev.weft.lab";
  private static final String LAUNCHER = "dev.weft.launcher";

  /** Root packages of the services' modules: found as the launcher finds them, so that a further one is held to the rules, too. */
  private static List<String> services() {
    return CLASSES.stream().filter(c -> c.isAssignableTo(Service.class) && !c.isInterface())
        .map(c -> String.join(".", List.of(c.getPackageName().split("\\.")).subList(0, 3)))
        .filter(root -> !BASE.contains(root)).distinct().sorted().toList();
  }

  private static ArchRule only(String root, List<String> others) {
    List<String> allowed = new ArrayList<>(List.of(root + ".."));
    others.forEach(other -> allowed.add(other + ".."));
    return classes().that().resideInAPackage(root + "..").should()
        .onlyDependOnClassesThat(resideOutsideOfPackage("dev.weft..").or(resideInAnyPackage(allowed.toArray(String[]::new))));
  }

  /** Each package by itself, the root of a module too. */
  private static final SliceAssignment PACKAGES = new SliceAssignment() {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
      String name = javaClass.getPackageName();
      return SliceIdentifier.of(name);
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  };

  @Test
  void shouldKeepTheArrowsBetweenModules() {
    for (int i = 0; i < BASE.size(); i++) {
      only(BASE.get(i), BASE.subList(0, i)).check(CLASSES);
    }
    List<String> services = services();
    assertTrue(services.containsAll(List.of("dev.weft.dsm", "dev.weft.pager", "dev.weft.perftest", "dev.weft.tripwire")), services.toString());
    services.forEach(service -> only(service, BASE).check(CLASSES));
    only(LAUNCHER, BASE).check(CLASSES);
    List<String> all = new ArrayList<>(BASE);
    all.addAll(services);
    only(LABORATORY, all).check(CLASSES);
  }

  @Test
  void shouldHaveNoCyclesBetweenThePackagesOfTheLaboratory() {
    SlicesRuleDefinition.slices().matching("dev.weft.lab.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void shouldHaveNoCyclesBetweenPackages() {
    SlicesRuleDefinition.slices().assignedFrom(PACKAGES).should().beFreeOfCycles().check(CLASSES);
  }

  /** The rooms of the HCA (docs/internals/decisions/0010); what stands on it knows what consumers know. */
  @Test
  void shouldKeepTheArrowsBetweenTheRoomsOfTheHca() {
    layeredArchitecture().consideringOnlyDependenciesInAnyPackage("dev.weft.hca..")
        .layer("netvm").definedBy("dev.weft.hca.netvm..")
        .layer("verbs").definedBy("dev.weft.hca.verbs..")
        .layer("control").definedBy("dev.weft.hca.control..")
        .layer("memory").definedBy("dev.weft.hca.memory..")
        .layer("completion").definedBy("dev.weft.hca.completion..")
        .layer("transport").definedBy("dev.weft.hca.transport..")
        .layer("device").definedBy("dev.weft.hca.device..")
        .layer("node").definedBy("dev.weft.hca.node..")
        .whereLayer("netvm").mayNotAccessAnyLayer()
        .whereLayer("verbs").mayOnlyAccessLayers("netvm")
        .whereLayer("control").mayOnlyAccessLayers("verbs")
        .whereLayer("memory").mayOnlyAccessLayers("control", "verbs", "netvm")
        .whereLayer("completion").mayOnlyAccessLayers("control", "verbs")
        .whereLayer("transport").mayOnlyAccessLayers("completion", "memory", "control", "verbs", "netvm")
        .whereLayer("device").mayOnlyBeAccessedByLayers("node")
        .whereLayer("transport").mayOnlyBeAccessedByLayers("device")
        .whereLayer("completion").mayOnlyBeAccessedByLayers("transport", "device")
        .whereLayer("memory").mayOnlyBeAccessedByLayers("transport", "device")
        .whereLayer("control").mayOnlyBeAccessedByLayers("completion", "memory", "transport", "device")
        .check(CLASSES);
  }

  /** The rooms of the CLAN NIC (docs/internals/decisions/0013). */
  @Test
  void shouldKeepTheArrowsBetweenTheRoomsOfANic() {
    layeredArchitecture().consideringOnlyDependenciesInAnyPackage("dev.weft.tripwire..")
        .layer("cam").definedBy("dev.weft.tripwire.cam..")
        .layer("nic").definedBy("dev.weft.tripwire.nic..")
        .layer("driver").definedBy("dev.weft.tripwire.driver..")
        .layer("device").definedBy("dev.weft.tripwire.device..")
        .layer("service").definedBy("dev.weft.tripwire.service..")
        .whereLayer("cam").mayNotAccessAnyLayer()
        .whereLayer("nic").mayOnlyAccessLayers("cam")
        .whereLayer("driver").mayOnlyAccessLayers("nic", "cam")
        .whereLayer("device").mayOnlyBeAccessedByLayers("service")
        .whereLayer("driver").mayOnlyBeAccessedByLayers("device")
        .check(CLASSES);
    noClasses().that().resideOutsideOfPackage("dev.weft.tripwire..").should().dependOnClassesThat().resideInAPackage("dev.weft.tripwire.driver..")
        .check(CLASSES);
    noClasses().that().resideOutsideOfPackage("dev.weft.tripwire..").should().dependOnClassesThat(
        resideInAPackage("dev.weft.tripwire.device..").and(not(type(NicDevice.class)))).check(CLASSES);
  }

  @Test
  void shouldHideTheVerbsFromTheHalvesOfAQueuePair() {
    noClasses().that().haveNameMatching("dev\\.weft\\.hca\\.transport\\.(Rc|Uc|Ud|Unreliable).*")
        .should().dependOnClassesThat().haveNameMatching("dev\\.weft\\.hca\\.(verbs\\.(Hca|CompletionQueue|SharedReceiveQueue)|control\\..*)")
        .check(CLASSES);
  }

  /** Outside of the HCA only who starts a node knows its device: launcher, pager and NIC know verbs. */
  private static final Set<String> HCA_INSIDE = Set.of("device", "transport", "completion", "memory", "control");

  @Test
  void shouldShowConsumersTheVerbsOnly() {
    // HTTP inspection asks the actors for their state.
    noClasses().that().resideOutsideOfPackages("dev.weft.hca..", "dev.weft.launcher.http..")
        .should().dependOnClassesThat().resideInAnyPackage(HCA_INSIDE.stream().map(room -> "dev.weft.hca." + room + "..").toArray(String[]::new))
        .check(CLASSES);
  }

  /** Experiments see calibrate rows through Calibration; what the papers predict is for the report alone, which is one package. */
  private static final ArchRule ROWS_FOR_THE_REPORT = noClasses().that()
      .resideOutsideOfPackages("dev.weft.lab.figures", "dev.weft.lab.repro")
      .should().dependOnClassesThat().haveNameMatching("dev\\.weft\\.lab\\.figures\\.Figures?");

  private static final ArchRule EXPERIMENTS_OUTSIDE_OF_THE_REPORT = classes().that()
      .areAssignableTo(Experiment.class).and().doNotHaveModifier(JavaModifier.ABSTRACT)
      .should().resideInAnyPackage("dev.weft.lab.seed*..", "dev.weft.lab.scale");

  @Test
  void shouldReadTheRowsOfThePapersInTheReportOnly() {
    ROWS_FOR_THE_REPORT.check(CLASSES);
    EXPERIMENTS_OUTSIDE_OF_THE_REPORT.check(CLASSES);
    assertTrue(CLASSES.stream().filter(c -> c.isAssignableTo(Experiment.class)).count() >= 9, "experiments are among the classes");
  }

  @Test
  void shouldNoticeAnExperimentThatReadsAPrediction() {
    JavaClasses planted = new ClassFileImporter().importClasses(PredictingExperiment.class);
    assertTrue(ROWS_FOR_THE_REPORT.evaluate(planted).hasViolation());
    assertTrue(EXPERIMENTS_OUTSIDE_OF_THE_REPORT.evaluate(planted).hasViolation());
  }

  /** Against both rules. */
  private static final class PredictingExperiment implements Experiment {
    @Override
    public String name() {
      return "predicting";
    }

    @Override
    public String title() {
      return "reads what it should predict";
    }

    @Override
    public String defaultProfile() {
      return "ib-2003-p3";
    }

    @Override
    public List<String> rows() {
      return List.of("dsm.isr.saving");
    }

    @Override
    public Findings run(Setting setting) {
      return new Findings().row("dsm.isr.saving",
          Measured.value(Figures.load().find("dsm.isr.saving").orElseThrow().low().orElseThrow()));
    }
  }

  /**
   * Where payload is copied, and counted: Payload asks for the counter; what is posted inline is counted when the HCA begins with it. What
   * an application copies to and from device memory by itself is not payload, nor is what a trunk begins with.
   */
  private static final Set<String> COPIES =
      Set.of("dev.weft.fabric.packet.Payload.copyPiece", "dev.weft.hca.transport.SendWqe.copyInline", "dev.weft.hca.memory.Dm.copy",
          "dev.weft.fabric.trunk.TrunkFrame.putHello");

  private static final Set<String> COPYING = Set.of("copy", "copyFrom", "putBytes", "toArray");
  private static final Set<String> MEMORY = Set.of("java.lang.foreign.MemorySegment", "org.agrona.MutableDirectBuffer");

  private static final String ON_THE_WAY =
      "dev\\.weft\\.(fabric\\.(packet|link|switching|trunk)|hca\\.(verbs|memory|completion|transport|device))";

  /** Calls that copy bytes, of the classes that a packet passes on its way from memory to memory. */
  private static List<String> copiesOnTheWay(JavaClasses classes) {
    return classes.stream()
        .filter(c -> c.getPackageName().matches(ON_THE_WAY))
        .flatMap(c -> c.getMethodCallsFromSelf().stream())
        .filter(call -> COPYING.contains(call.getName())
            && MEMORY.stream().anyMatch(owner -> call.getTargetOwner().isAssignableTo(owner)))
        .map(call -> call.getOriginOwner().getName() + "." + call.getOrigin().getName())
        .distinct().sorted().toList();
  }

  @Test
  void shouldCopyPayloadOnlyWhereItIsCounted() {
    assertEquals(COPIES.stream().sorted().toList(), copiesOnTheWay(CLASSES));
  }

  @Test
  void shouldTakeTimeAndRandomnessOnlyFromTheFabric() {
    assertEquals(List.of(), BannedCalls.violationsIn(CLASSES, exempt()));
  }

  @Test
  void shouldStillNeedEachExemptionFromTheRuleOnTime() {
    List<String> all = BannedCalls.violationsIn(CLASSES, Set.of());
    for (String exempt : exempt()) {
      assertTrue(all.stream().anyMatch(line -> line.contains(exempt)), exempt + " needs no exemption any more");
    }
  }

  private static Set<String> exempt() {
    Set<String> exempt = new HashSet<>(BannedCalls.FABRIC_EXEMPT);
    exempt.addAll(HCA_EXEMPT);
    exempt.addAll(SERVICES_EXEMPT);
    exempt.addAll(PROGRAMS_EXEMPT);
    exempt.addAll(MACHINE_EXEMPT);
    exempt.addAll(LABORATORY_EXEMPT);
    exempt.add("dev.weft.fabric.cluster.");
    return exempt;
  }
}
