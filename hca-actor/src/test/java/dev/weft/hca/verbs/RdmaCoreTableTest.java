package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.platform.commons.support.AnnotationSupport;

/** docs/reference/rdma-core-tests.md names tests that exist, and as many of rdma-core's cases as it says. */
class RdmaCoreTableTest {
  private static final int CASES_MIN = 149;
  private static final List<String> PACKAGES = List.of("dev.weft.hca.verbs.", "dev.weft.hca.memory.", "dev.weft.hca.completion.",
      "dev.weft.hca.transport.", "dev.weft.hca.device.", "dev.weft.hca.cm.");
  private static final Pattern THEIRS = Pattern.compile("`(test_\\w+)`");
  private static final Pattern OURS = Pattern.compile("`([\\w$]*)#(\\w+)`");
  private static final Pattern CLASS = Pattern.compile("`(\\w+Test)`");
  private static final Pattern STATED = Pattern.compile("names (\\d+)\\s+of\\s+their\\s+cases");
  private static final Pattern STATED_EMULATED = Pattern.compile("names (\\d+) more whose feature does not exist");
  /** By the names of their cases: features that this HCA does not have. */
  private static final Pattern ABSENT = Pattern.compile("dmabuf|raw_qp|_ro_|_cc_pd|huge|multi_process|xrc|dmah|cuda|tag_matching|implicit");

  private static String text;
  private static List<String[]> covered;
  private static List<String[]> emulated;
  private static List<String[]> left;

  @BeforeAll
  static void read() throws IOException {
    Path dir = Path.of("").toAbsolutePath();
    while (!Files.exists(dir.resolve("docs/reference/rdma-core-tests.md"))) {
      dir = dir.getParent();
    }
    text = Files.readString(dir.resolve("docs/reference/rdma-core-tests.md"));
    covered = table("## Covered");
    emulated = table("## Emulated, and not counted");
    left = table("## Left for later");
  }

  /** Rows of the table below a heading, without its head. */
  private static List<String[]> table(String heading) {
    int from = text.indexOf(heading);
    int to = text.indexOf("\n## ", from + 1);
    return text.substring(from, to).lines().filter(line -> line.startsWith("| ") && line.contains("`test"))
        .map(line -> line.split("\\|")).toList();
  }

  private static List<String> theirs(List<String[]> rows) {
    return rows.stream().flatMap(row -> THEIRS.matcher(row[1]).results()).map(result -> result.group(1)).toList();
  }

  @Test
  void shouldNameAsManyCasesAsItSays() {
    List<String> named = theirs(covered);
    Set<String> distinct = new TreeSet<>(named);
    assertEquals(distinct.size(), named.size(), "named twice: " + named.stream().filter(n -> named.indexOf(n) != named.lastIndexOf(n)).toList());
    Matcher stated = STATED.matcher(text);
    assertTrue(stated.find(), "the document states no count");
    assertEquals(Integer.parseInt(stated.group(1)), distinct.size());
    assertTrue(distinct.size() >= CASES_MIN, distinct.size() + " cases, want at least " + CASES_MIN);
    Matcher apart = STATED_EMULATED.matcher(text);
    assertTrue(apart.find(), "the document states no count of emulated cases");
    assertEquals(Integer.parseInt(apart.group(1)), theirs(emulated).size());
  }

  @Test
  void shouldCountNoCaseWhoseFeatureDoesNotExist() {
    assertEquals(List.of(), theirs(covered).stream().filter(name -> ABSENT.matcher(name).find()).toList());
    for (String[] row : covered) {
      assertFalse(row[2].contains("plain memory") || row[2].contains("ignore the flag") || row[2].contains("which we ignore"), row[1] + "|" + row[2]);
    }
  }

  @Test
  void shouldNotCoverWhatItLeavesForLater() {
    Set<String> both = new TreeSet<>(theirs(covered));
    both.retainAll(theirs(left));
    assertEquals(Set.of(), both);
    Set<String> counted = new TreeSet<>(theirs(covered));
    counted.addAll(theirs(left));
    counted.retainAll(theirs(emulated));
    assertEquals(Set.of(), counted);
  }

  @Test
  void shouldNameTestsThatExist() {
    List<String> missing = new ArrayList<>();
    for (String[] row : Stream.concat(covered.stream(), emulated.stream()).toList()) {
      assertEquals(3, row.length, String.join("|", row));
      String className = null;
      boolean found = false;
      Matcher test = OURS.matcher(row[2]);
      while (test.find()) {
        className = test.group(1).isEmpty() ? className : test.group(1);
        found = true;
        if (!isTest(className, test.group(2))) {
          missing.add(className + "#" + test.group(2));
        }
      }
      assertTrue(found, "no test of ours in " + row[1] + "|" + row[2]);
    }
    assertEquals(List.of(), missing);
    CLASS.matcher(text).results().forEach(name -> assertFalse(find(name.group(1)) == null, name.group(1) + " does not exist"));
  }

  private static boolean isTest(String className, String method) {
    Class<?> type = find(className);
    return type != null && Stream.of(type.getDeclaredMethods()).filter(m -> m.getName().equals(method)).anyMatch(RdmaCoreTableTest::runs);
  }

  private static boolean runs(Method method) {
    return AnnotationSupport.isAnnotated(method, Test.class) || AnnotationSupport.isAnnotated(method, ParameterizedTest.class);
  }

  private static Class<?> find(String name) {
    for (String prefix : PACKAGES) {
      try {
        return Class.forName(prefix + name, false, RdmaCoreTableTest.class.getClassLoader());
      } catch (ClassNotFoundException e) {
        continue; // The next package may have it.
      }
    }
    return null;
  }
}
