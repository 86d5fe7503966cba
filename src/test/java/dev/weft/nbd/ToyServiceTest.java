package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.fabric.rules.Waits;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A service that nobody here knows, in a jar that is made here and put on the class path: everything of it appears. */
@Tag("jvms")
@Timeout(400)
@Execution(ExecutionMode.CONCURRENT)
class ToyServiceTest {
  private static final Path SOURCES = Path.of(System.getProperty("weft.root"), "src/test/toy");
  @TempDir private static Path directory;
  private static Path jar;

  @BeforeAll
  static void makeTheJar() throws Exception {
    Path classes = Files.createDirectory(directory.resolve("classes"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (Stream<Path> files = Files.walk(SOURCES)) {
      List<String> sources = files.filter(file -> file.toString().endsWith(".java")).map(Path::toString).toList();
      List<String> arguments = Stream.concat(Stream.of("-proc:none", "-d", classes.toString()), sources.stream()).toList();
      assertEquals(0, compiler.run(null, null, null, arguments.toArray(String[]::new)));
    }
    jar = directory.resolve("toy.jar");
    try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file)) {
      add(out, classes, ".class");
      add(out, SOURCES, "Service");
      add(out, SOURCES, ".conf");
      add(out, SOURCES, "Workload");
    }
  }

  private static void add(JarOutputStream out, Path root, String ending) throws Exception {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(file -> Files.isRegularFile(file) && file.toString().endsWith(ending)).toList()) {
        out.putNextEntry(new JarEntry(root.relativize(file).toString()));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }

  @Test
  void shouldShowUpInTheHelpAndRefuseItsOwnOptions() throws Exception {
    try (WeftProcess weft = WeftProcess.withJar(jar)) {
      WeftProcess.Answer help = weft.run("--help");
      assertTrue(help.out().matches("(?s).*\\n  toy +Wind the toys.*"), help.out());
      WeftProcess.Answer refused = weft.run("up", "--toys=3");
      assertEquals(2, refused.exitCode(), refused.err());
      assertTrue(refused.err().contains("--toys is 3, must be from 0 to --jvms less one"), refused.err());
    }
  }

  @Test
  void shouldRunInTwoJvmsAndShowItsTableItsRouteAndItsAlarm() throws Exception {
    try (WeftProcess weft = WeftProcess.withJar(jar)) {
      Process up = weft.start("up", "--jvms=2", "--servers=1", "--memory=8M", "--nbd=127.0.0.1:0", "--http=127.0.0.1:0", "--toys=1");
      Waits.until("the toy's route", () -> {
        assertTrue(up.isAlive(), weft.logs());
        return !weft.pids("UP").isEmpty() && weft.get("/weft/toy").path("toys").size() == 1;
      }, weft::logs);
      JsonNode route = weft.get("/weft/toy");
      assertEquals("toy-1", route.path("toys").path(0).asText());
      assertTrue(weft.get("/weft").path("routes").toString().contains("\"/weft/toy\""));
      Waits.seen("the toy's advertisement", () -> weft.get("/weft/subnet").path("adverts").toString(),
          adverts -> adverts.contains("\"node\":\"toy-1\",\"service\":\"toy\""));
      weft.awaitStatus("the toy's table and alarm", status -> status.out().contains("TOY_UNWOUND")
          && status.out().matches("(?s).*Toys\\n  NODE   JVM +WHEELS\\n  toy-1  127.0.0.1:[0-9]+ +4\\n.*"));
      weft.awaitJson("the toy in the first JVM", json -> json.path("jvms").path(0).path("toy").path("toys").path(0).asText().equals("toy-1")
          && json.path("jvms").path(0).path("status").path("services").toString().contains("{\"name\":\"toy\",\"version\":\"7\"}"));
      WeftProcess.Answer wound = weft.run("toy");
      assertEquals("1 toys run.\n", wound.out(), wound.err());
      weft.awaitStatus("a table without the alarm", status -> status.out().contains("toy-1") && !status.out().contains("TOY_UNWOUND"));
      assertTrue(weft.get("/weft/toy").path("wound").asBoolean());
      assertEquals(0, weft.run("down").exitCode());
      Waits.until("'up' to end", () -> !up.isAlive(), weft::logs);
    }
  }

  @Test
  void shouldBeSimulatedAndCutDownToTheBugThatIsPlanted() throws Exception {
    try (WeftProcess weft = WeftProcess.withJar(jar)) {
      WeftProcess.Answer clean = weft.run("sim", "--workload", "toy", "--seeds", "1..40");
      assertEquals(0, clean.exitCode(), clean.err());
      assertTrue(clean.out().startsWith("seeds 1..40: 40 runs, "), clean.out());
      WeftProcess.Answer broken = weft.run("sim", "--workload", "toy", "--seeds", "1..40", "--broken", "true");
      assertEquals(1, broken.exitCode(), broken.out());
      assertTrue(broken.out().contains("turns it went"), broken.out());
      assertTrue(broken.err().matches("(?s).*replay the first with ./weft sim --workload toy --seeds [0-9]+..[0-9]+.* --broken true.*"), broken.err());
    }
  }

  @Test
  void shouldHaveItsSettingsAmongThoseThatAreKnown() throws Exception {
    try (WeftProcess weft = WeftProcess.withJar(jar, "-Dweft.toy.kontext=isr")) {
      WeftProcess.Answer answer = weft.run("up", "--memory=8M");
      assertEquals(1, answer.exitCode(), answer.out());
      assertTrue(answer.err().contains("weft.toy.kontext") && answer.err().contains("weft.toy.context"), answer.err());
    }
  }

  @Test
  void shouldBeRefusedInOneLineWhereItCannotBeUsedAndHinderNobodyWhoEndsAFabric() throws Exception {
    Path broken = directory.resolve("broken.jar");
    try (OutputStream file = Files.newOutputStream(broken); JarOutputStream out = new JarOutputStream(file)) {
      out.putNextEntry(new JarEntry("META-INF/services/dev.weft.service.Service"));
      out.write("dev.example.Missing\n".getBytes(StandardCharsets.UTF_8));
      out.closeEntry();
    }
    try (WeftProcess weft = WeftProcess.withJar(broken)) {
      WeftProcess.Answer refused = weft.run("up", "--nbd=127.0.0.1:0");
      assertEquals(1, refused.exitCode());
      assertTrue(refused.err().startsWith("weft: a service of the class path cannot be used: "), refused.err());
      assertTrue(refused.err().contains("dev.example.Missing"), refused.err());
      assertEquals(1, refused.err().lines().count(), refused.err());
      assertTrue(weft.run("down").err().contains("no fabric is up"), "who ends one is not hindered");
    }
  }
}
