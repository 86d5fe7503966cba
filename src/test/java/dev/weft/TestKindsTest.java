package dev.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each test class has the tag of its kind (CONTRIBUTING.md). Reads the sources, so that it costs a second. */
class TestKindsTest {
  /** From the most expensive to the cheapest: a class of one kind may do what a cheaper kind does. */
  private static final List<String> KINDS = List.of("client", "jvms", "simulation", "actor");
  private static final Set<String> COSTS = Set.of("slow", "long");
  /** What a class of that kind names, itself or by the helpers that it uses. */
  private static final Map<String, Pattern> MARKS = Map.of(
      "client", Pattern.compile("\\b(Tshark|NbdClients|Mounted|MountedMemory)\\b|\"(python3|openssl|psql|tshark|fio)\""),
      "jvms", Pattern.compile("new ProcessBuilder\\(|BackgroundProcess\\.start|MediaDriverProcess\\.\\w+\\(|ClusterFabric\\.start\\(|ChildJvm\\.start"
          + "|new (JobJvms|TwoJvm\\w*)\\(|\"--jvms[ \"=]"),
      "simulation", Pattern.compile("\\b(Seeds|VirtualSystem|VirtualFabric)\\b"),
      "actor", Pattern.compile("\\b(ActorTestKit|ActorSystem|ActorRef|LocalFabric)\\b"));
  /** It asks git for the version, which takes milliseconds. */
  private static final Set<String> HARMLESS = Set.of("dev.weft.fabric.seeds.SourceVersion");

  private static final Path ROOT = Path.of(System.getProperty("weft.root"));
  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
  private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([\\w.]+);");
  private static final Pattern NAME = Pattern.compile("\\b[A-Z]\\w+\\b");
  private static final Pattern PARENT = Pattern.compile("(?m)^(?:\\w+ )*class \\w+ extends (\\w+)");
  private static final Pattern TAG = Pattern.compile("(?m)^@Tag\\(\"(\\w+)\"\\)");
  private static final Pattern TESTS = Pattern.compile("@(Test|ParameterizedTest|RepeatedTest|TestFactory|FuzzTest)\\b");

  private static final Map<String, Source> SOURCES = read();

  /**
   * A file of a test tree.
   *
   * @param imports full names by simple ones
   */
  private record Source(String name, String text, Map<String, String> imports) {
    static Source of(Path file, Path tree) {
      try {
        String name = tree.relativize(file).toString().replace(".java", "").replace('/', '.');
        String text = COMMENT.matcher(Files.readString(file)).replaceAll(" ");
        return new Source(name, text, IMPORT.matcher(text).results().map(found -> found.group(1))
            .collect(Collectors.toMap(full -> full.substring(full.lastIndexOf('.') + 1), full -> full, (one, other) -> one)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Name of a class of the test trees; empty if it is none of theirs. */
    Optional<String> resolved(String simple) {
      String full = imports.getOrDefault(simple, name.substring(0, name.lastIndexOf('.') + 1) + simple);
      return Optional.of(full).filter(SOURCES::containsKey);
    }

    Set<String> tags() {
      Set<String> tags = TAG.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toCollection(LinkedHashSet::new));
      parent().ifPresent(parent -> tags.addAll(parent.tags()));
      return tags;
    }

    private Optional<Source> parent() {
      return PARENT.matcher(text).results().findFirst().map(found -> found.group(1)).flatMap(this::resolved).map(SOURCES::get);
    }

    boolean hasTests() {
      return !name.equals(TestKindsTest.class.getName()) && !text.contains("abstract class " + name.substring(name.lastIndexOf('.') + 1))
          && (has(TESTS) || parent().isPresent() && parent().get().has(TESTS));
    }

    boolean has(Pattern pattern) {
      return pattern.matcher(text).find();
    }
  }

  private static Map<String, Source> read() {
    List<String> modules = new ArrayList<>(Modules.all());
    modules.addAll(List.of("laboratory", "bench"));
    List<Path> trees = new ArrayList<>(modules.stream().map(module -> ROOT.resolve(module).resolve("src/test/java")).toList());
    trees.add(ROOT.resolve("src/test/java"));
    Map<String, Source> sources = new LinkedHashMap<>();
    for (Path tree : trees) {
      try (Stream<Path> files = Files.isDirectory(tree) ? Files.walk(tree) : Stream.empty()) {
        files.filter(file -> file.toString().endsWith(".java")).map(file -> Source.of(file, tree)).forEach(source -> sources.put(source.name(), source));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return sources;
  }

  /** A class with all that it uses of the test trees. */
  private static Collection<Source> reached(Source from) {
    Map<String, Source> seen = new LinkedHashMap<>(Map.of(from.name(), from));
    Deque<Source> open = new ArrayDeque<>(seen.values());
    while (!open.isEmpty()) {
      Source source = open.pop();
      NAME.matcher(source.text()).results().map(MatchResult::group).distinct().flatMap(simple -> source.resolved(simple).stream())
          .filter(name -> !HARMLESS.contains(name) && !seen.containsKey(name)).forEach(name -> {
            seen.put(name, SOURCES.get(name));
            open.push(SOURCES.get(name));
          });
    }
    return seen.values();
  }

  /** The most expensive kind that a class has marks of. */
  private static Optional<String> wanted(Source test) {
    Collection<Source> reached = reached(test);
    return KINDS.stream().filter(kind -> reached.stream().anyMatch(source -> source.has(MARKS.get(kind)))).findFirst();
  }

  @Test
  void shouldTagEachClassWithItsKind() {
    Map<String, String> missing = new TreeMap<>();
    SOURCES.values().stream().filter(Source::hasTests).forEach(test -> wanted(test).ifPresent(kind -> {
      if (KINDS.subList(0, KINDS.indexOf(kind) + 1).stream().noneMatch(test.tags()::contains)) {
        missing.put(test.name(), kind);
      }
    }));
    assertEquals("", missing.entrySet().stream().map(entry -> entry.getKey() + " needs @Tag(\"" + entry.getValue() + "\")")
        .collect(Collectors.joining("\n")), "CONTRIBUTING.md explains the kinds of tests");
  }

  @Test
  void shouldUseKnownTagsOnly() {
    Set<String> known = new LinkedHashSet<>(KINDS);
    known.addAll(COSTS);
    for (Source source : SOURCES.values()) {
      assertTrue(known.containsAll(source.tags()), () -> source.name() + " has the tags " + source.tags() + ", known are " + known);
    }
  }
}
