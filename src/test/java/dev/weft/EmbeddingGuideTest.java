package dev.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.JvmFlags;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does what {@code docs/guides/embedding.md} says, with the code and the options of the page itself. */
@Tag("jvms")
@Timeout(400)
class EmbeddingGuideTest {
  private static final Path ROOT = Path.of(System.getProperty("weft.root"));
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```$");
  private static final Pattern FILE = Pattern.compile("// (\\w+\\.java)\\n");

  private final Set<Process> jvms = new HashSet<>();
  private Path directory;
  private Path driver;
  private String page;

  @BeforeEach
  void build() throws Exception {
    page = Files.readString(ROOT.resolve("docs/guides/embedding.md"));
    directory = Files.createTempDirectory("weft-guide-");
    driver = Files.createTempDirectory(Path.of("/dev/shm"), "weft-guide-");
    Files.writeString(directory.resolve("weft.flags"), blocks("flags").getFirst());
    List<String> arguments = new ArrayList<>(List.of("-d", directory.toString(), "-cp", classPath(), "-Xlint:all,-path,-processing", "-Werror"));
    for (String block : blocks("java")) {
      Matcher name = FILE.matcher(block);
      assertTrue(name.lookingAt(), () -> "a block of code begins with the name of its file, not with " + block.lines().findFirst());
      arguments.add(Files.writeString(directory.resolve(name.group(1)), block).toString());
    }
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)), "the code of the page compiles");
  }

  @AfterEach
  void clean() throws Exception {
    jvms.forEach(Process::destroyForcibly);
    for (Path tree : List.of(directory, driver)) {
      try (Stream<Path> files = Files.walk(tree)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  private List<String> blocks(String language) {
    List<String> found = new ArrayList<>();
    for (Matcher block = BLOCK.matcher(page); block.find();) {
      if (block.group(1).equals(language)) {
        found.add(block.group(2));
      }
    }
    return found;
  }

  /** What the page's dependency brings: not the launcher, no binding for logs, and nothing of tests. */
  private static String classPath() {
    List<String> parts = Stream.of(System.getProperty("java.class.path").split(":"))
        .filter(part -> !part.contains("launcher") && !part.contains("logback") && !part.contains("test-classes") && !part.contains("-tests.jar")).toList();
    assertTrue(parts.stream().anyMatch(part -> part.contains("hca-actor")), () -> "no hca-actor in " + parts);
    return String.join(":", parts);
  }

  private Process java(String... mainAndArguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "@weft.flags", "-Xmx128m",
        "-Dweft.fabric.cluster.media-driver.directory=" + driver.resolve("driver"), "-Dweft.fabric.cluster.media-driver.exit-when-unused-after=1s",
        "-cp", directory + ":" + classPath()));
    command.addAll(List.of(mainAndArguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    Process jvm = builder.start();
    jvms.add(jvm);
    return jvm;
  }

  private String outputOf(String... mainAndArguments) throws Exception {
    Process jvm = java(mainAndArguments);
    String output = new String(jvm.getInputStream().readAllBytes());
    assertTrue(jvm.waitFor(90, TimeUnit.SECONDS));
    assertEquals(0, jvm.exitValue(), output);
    return output.strip();
  }

  @Test
  void shouldWriteInOneJvm() throws Exception {
    assertEquals("hello", lastLine(outputOf("InOneJvm")));
  }

  @Test
  void shouldWriteInVirtualTimeTheSameWayEachTime() throws Exception {
    String first = lastLine(outputOf("InVirtualTime"));
    assertTrue(first.matches("hello after [1-9][0-9]* ns"), first);
    assertEquals(first, lastLine(outputOf("InVirtualTime")));
  }

  @Test
  void shouldWriteBetweenTwoJvms() throws Exception {
    Process server = java("Server");
    try (BufferedReader lines = server.inputReader()) {
      String address = lines.readLine();
      while (address != null && !address.matches("127\\.0\\.0\\.1:[0-9]+")) {
        address = lines.readLine();
      }
      assertNotNull(address, "the server says where it is");
      outputOf("Client", address);
      assertEquals("hello from another JVM", lines.readLine(), "and the JVM logs nothing to its standard output");
    }
    assertTrue(server.waitFor(90, TimeUnit.SECONDS));
    assertEquals(0, server.exitValue());
  }

  private static String lastLine(String output) {
    return output.lines().reduce((before, line) -> line).orElse("");
  }

  @Test
  void shouldNameTheOptionsAndTheModulesThatThereAre() throws Exception {
    assertEquals(JvmFlags.NEEDED, blocks("flags").getFirst().lines().toList());
    String dependency = blocks("xml").getFirst();
    String parent = Files.readString(ROOT.resolve("pom.xml"));
    assertEquals(tag(parent, "groupId"), tag(dependency, "groupId"));
    assertEquals(tag(parent, "version"), tag(dependency, "version"));
    assertEquals(tag(parent, "maven.compiler.release"), tag(dependency, "maven.compiler.release"));
    Set<String> named = new TreeSet<>(Set.of(tag(dependency, "artifactId")));
    Matcher module = Pattern.compile("`([a-z]+-actors?)`").matcher(page);
    while (module.find()) {
      named.add(module.group(1));
    }
    assertEquals(Set.of("hca-actor", "pager-actors", "tripwire-actors", "dsm-actors", "pvfs-actors"), named);
    for (String artifact : named) {
      assertTrue(Files.readString(ROOT.resolve(artifact).resolve("pom.xml")).contains("<artifactId>" + artifact + "</artifactId>"));
    }
    assertFalse(blocks("sh").isEmpty());
  }

  private static String tag(String xml, String name) {
    Matcher tag = Pattern.compile("<" + Pattern.quote(name) + ">([^<]+)<").matcher(xml);
    assertTrue(tag.find(), name);
    return tag.group(1);
  }
}
