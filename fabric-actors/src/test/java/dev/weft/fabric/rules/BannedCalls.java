package dev.weft.fabric.rules;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What would make a run differ from another one with the same seed: the machine's clock, unseeded randomness, threads.
 * Exempt are only classes that are the real-time side by nature, each named.
 */
public final class BannedCalls {
  /** Classes of the fabric that are the real world's side of the two clocks. */
  public static final Set<String> FABRIC_EXEMPT =
      Set.of(
          "dev.weft.fabric.time.RealClock",
          "dev.weft.fabric.dispatch.Crowding",
          "dev.weft.fabric.cluster.FabricDirectory",
          "dev.weft.fabric.cluster.MediaDriverProcess",
          "dev.weft.fabric.cluster.ProcessWatch",
          "dev.weft.fabric.cluster.StartLock");

  private static final String ANY = "*";

  /** Owner to methods. An owner's subtypes count as well. */
  private static final Map<String, Set<String>> BANNED =
      Map.ofEntries(
          Map.entry("java.lang.System", Set.of("nanoTime", "currentTimeMillis")),
          Map.entry("java.lang.Thread", Set.of("sleep", "ofVirtual", "startVirtualThread")),
          Map.entry("java.lang.Math", Set.of("random")),
          Map.entry("java.lang.StrictMath", Set.of("random")),
          Map.entry("java.util.concurrent.ThreadLocalRandom", Set.of(ANY)),
          Map.entry("java.time.Instant", Set.of("now")),
          Map.entry("java.time.LocalDateTime", Set.of("now")),
          Map.entry("java.time.ZonedDateTime", Set.of("now")),
          Map.entry("java.time.OffsetDateTime", Set.of("now")),
          Map.entry("java.time.LocalDate", Set.of("now")),
          Map.entry("java.time.LocalTime", Set.of("now")),
          Map.entry("java.time.Clock", Set.of(ANY)),
          Map.entry("java.util.UUID", Set.of("randomUUID")),
          Map.entry("java.util.Collection", Set.of("parallelStream")),
          Map.entry("java.util.stream.BaseStream", Set.of("parallel")),
          Map.entry("java.util.concurrent.Executors", Set.of("newVirtualThreadPerTaskExecutor", "newWorkStealingPool")),
          Map.entry("java.util.concurrent.ForkJoinPool", Set.of("commonPool")),
          Map.entry("java.util.concurrent.CompletionStage", Set.of("*Async")),
          Map.entry("java.util.concurrent.CompletableFuture", Set.of("*Async", "orTimeout", "completeOnTimeout")),
          Map.entry("akka.actor.typed.javadsl.AskPattern", Set.of(ANY)),
          Map.entry("akka.actor.typed.javadsl.ActorContext", Set.of("ask", "askWithStatus")),
          Map.entry("akka.pattern.Patterns", Set.of("ask", "askWithStatus")));

  /** Random generators that seed themselves when constructed without arguments. */
  private static final Set<String> SELF_SEEDED = Set.of("java.util.Random", "java.util.SplittableRandom");

  private BannedCalls() {}

  /**
   * The banned accesses in the main classes of some packages and their subpackages.
   *
   * @param exempt full names of top-level classes that may do it (their nested classes too), or of packages ending in a dot
   * @return one line per access: where, what, and what would be right; empty is good
   */
  public static List<String> violations(Set<String> exempt, String... packages) {
    return violationsIn(
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages(packages),
        exempt);
  }

  /** The same in classes that were imported already. */
  public static List<String> violationsIn(JavaClasses classes, Set<String> exempt) {
    return classes.stream()
        .filter(javaClass -> exempt.stream().noneMatch(name -> isExempt(javaClass, name)))
        .flatMap(javaClass -> javaClass.getAccessesFromSelf().stream())
        .filter(BannedCalls::isBanned)
        .map(
            access ->
                access.getDescription()
                    + ": take time, delays and random numbers from FabricContext, and tell instead of ask")
        .sorted()
        .toList();
  }

  private static boolean isExempt(JavaClass javaClass, String name) {
    String fullName = javaClass.getName();
    return name.endsWith(".") ? fullName.startsWith(name) : fullName.equals(name) || fullName.startsWith(name + "$");
  }

  private static boolean isBanned(JavaAccess<?> access) {
    AccessTarget target = access.getTarget();
    if (target instanceof AccessTarget.ConstructorCallTarget constructor) {
      return SELF_SEEDED.contains(constructor.getOwner().getName()) && constructor.getRawParameterTypes().isEmpty();
    }
    return BANNED.entrySet().stream()
        .anyMatch(entry -> matches(entry.getValue(), target.getName()) && target.getOwner().isAssignableTo(entry.getKey()));
  }

  private static boolean matches(Set<String> methods, String name) {
    return methods.contains(ANY) || methods.contains(name) || (methods.contains("*Async") && name.endsWith("Async"));
  }
}
