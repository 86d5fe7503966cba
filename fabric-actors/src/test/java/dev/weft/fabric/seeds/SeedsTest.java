package dev.weft.fabric.seeds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("jvms")
@Timeout(180)
class SeedsTest {
  @TempDir private Path root;

  private void write(String file, String text) throws Exception {
    Files.createDirectories(root.resolve(file).getParent());
    Files.writeString(root.resolve(file), text);
  }

  private String git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "-c", "user.name=test", "-c", "user.email=test@example.org", "-c",
        "commit.gpgsign=false"));
    command.addAll(List.of(arguments));
    Process git = new ProcessBuilder(command).directory(root.toFile()).redirectErrorStream(true).start();
    String out = new String(git.getInputStream().readAllBytes()).strip();
    assertEquals(0, git.waitFor(), out);
    return out;
  }

  private String commit(String message) throws Exception {
    git("add", "-A");
    git("commit", "-q", "--no-verify", "-m", message);
    return git("rev-parse", "HEAD");
  }

  @Test
  void shouldNeverTryTheSameInTwoVersions() {
    Set<Long> blocks = new HashSet<>();
    for (int version = 0; version < 1_000; version++) {
      long first = Seeds.first("version " + version, "rc");
      assertEquals(first, Seeds.first("version " + version, "rc"));
      assertEquals(0, first % Seeds.BLOCK);
      assertTrue(first >= 0 && first + Seeds.BLOCK <= 1L << 48, "first " + first);
      assertTrue(blocks.add(first), "version " + version + " repeats " + first);
    }
    assertNotEquals(Seeds.first("v", "rc"), Seeds.first("v", "pager"));
  }

  @Test
  void shouldTakeTheCommitOfACleanCheckoutAndTheSourcesOfAnyOther() throws Exception {
    git("init", "-q");
    write("module/src/main/A.java", "class A {}");
    write(".gitignore", "target/\n");
    String commit = commit("one");
    assertEquals(commit.substring(0, 12), SourceVersion.of(root));
    write("module/target/A.class", "not looked at");
    assertEquals(commit.substring(0, 12), SourceVersion.of(root));

    write("module/src/main/A.java", "class A { }");
    String changed = SourceVersion.of(root);
    assertTrue(changed.startsWith("sources-"), changed);
    write("module/src/main/B.java", "class B {}");
    assertNotEquals(changed, SourceVersion.of(root));
    assertNotEquals(commit, commit("two"));
    assertFalse(SourceVersion.of(root).startsWith("sources-"));
    assertTrue(SourceVersion.of(root.resolve("module")).startsWith("sources-"), "a folder in the checkout of something else");
  }

  @Test
  void shouldTellSourcesApartByNameAndContent() throws Exception {
    write("pom.xml", "<project/>");
    write("a/src/One.java", "one");
    write("a/src/Two.java", "two");
    Set<String> seen = new HashSet<>();
    assertTrue(seen.add(SourceVersion.hashOfSources(root)));
    write("a/target/src/Three.java", "built");
    assertFalse(seen.add(SourceVersion.hashOfSources(root)), "what is built is no source");
    write("a/src/Two.java", "tow");
    assertTrue(seen.add(SourceVersion.hashOfSources(root)));
    Files.move(root.resolve("a/src/Two.java"), root.resolve("a/src/Tow.java"));
    assertTrue(seen.add(SourceVersion.hashOfSources(root)));
    write("pom.xml", "<project></project>");
    assertTrue(seen.add(SourceVersion.hashOfSources(root)));
  }

  @Test
  void shouldRunFixedSeedsAndThoseOfTheVersionAndNameTheOneThatFails() {
    Seeds seeds = Seeds.of(SeedsTest.class, "seeds-test", 5, 3, 2);
    List<Long> expected = new ArrayList<>(List.of(5L, 6L, 7L));
    for (int i = 0; i < seeds.versionCount(); i++) {
      expected.add(seeds.versionFirst() + i);
    }
    List<Long> run = new ArrayList<>();
    seeds.run(run::add);
    assertEquals(expected, run);
    AssertionError failure = assertThrows(AssertionError.class, () -> seeds.run(seed -> {
      if (seed == 6) {
        throw new IllegalStateException("the reason");
      }
    }));
    assertTrue(failure.getMessage().contains("seeds-test failed with seed 6; again: mvn -B -pl fabric-actors -am -Dtest=SeedsTest ")
        && failure.getMessage().contains("-Dweft.sim.seed=6 test") && failure.getMessage().contains("the reason"), failure.getMessage());
  }

  @Test
  void shouldReadTheListOfThoseThatFailed() {
    assertEquals(List.of(new Seeds.Failed(2100, List.of()), new Seeds.Failed(6444, List.of("--duplication", "0.5"))),
        Seeds.parse("rc", "# found by hand\n2100 # a repeated READ\n\n 6444 --duplication 0.5\n"));
    assertThrows(IllegalArgumentException.class, () -> Seeds.parse("rc", "--duplication 0.5"));
  }
}
