package dev.weft.dsm.mmu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.hca.node.LocalFabric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs in Python, and a node in this JVM that others' threads use. */
@Tag("client")
@Timeout(240)
class MmuPythonTest {
  private static final Path DIRECTORY = Path.of(System.getProperty("weft.root", ".."), "dsm-actors", "src");

  @TempDir Path temporary;
  private LocalFabric fabric;
  private final List<DsmNode> nodes = new ArrayList<>();
  private final List<ApplicationProcess> applications = new ArrayList<>();
  private MmuServer server;

  @BeforeEach
  void start() throws Exception {
    boolean isThere = hasPython();
    assertTrue(isThere || !"true".equals(System.getenv("CI")), "CI has to have python3");
    assumeTrue(isThere, "python3 of version 3.9 or later is not here");
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 4 MiB\nweft.hca.pin-memory = false\nweft.dsm.mmu.farewell = 1 m"));
    for (int i = 0; i < 2; i++) {
      nodes.add(DsmNode.join(fabric, fabric.addNode("host-" + i), "test", "host-0"));
    }
    server = MmuServer.start(nodes.get(0), MmuSettings.from(fabric.config()), temporary.resolve("mmu"));
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
    nodes.forEach(DsmNode::close);
    if (fabric != null) {
      fabric.close();
    }
    applications.forEach(ApplicationProcess::close);
  }

  private ApplicationProcess program(Path script, String... arguments) throws IOException {
    assertTrue(Files.exists(script), script + " is not there");
    List<String> command = new ArrayList<>(List.of("env", "PYTHONPATH=" + DIRECTORY.resolve("main/python"), "python3", script.toString(),
        server.directory().toString()));
    command.addAll(List.of(arguments));
    ApplicationProcess program = ApplicationProcess.of(command);
    applications.add(program);
    return program;
  }

  @Test
  void shouldSayInItsOwnErrorsWhatCannotBe() throws Exception {
    ApplicationProcess program = program(DIRECTORY.resolve("test/python/refusals.py"));
    for (String index : List.of("20", "-1", "1180591620717411303424")) {
      expectTwice(program, "NoSuchElement: element " + index + " of \"longs\", must be from 0 to 19");
    }
    expectTwice(program, "WrongValue: index 1.5 of \"longs\", must be a whole number; elements are reached one by one");
    expectTwice(program, "WrongValue: index slice(0, 2, None) of \"longs\", must be a whole number; elements are reached one by one");
    for (String value : List.of("9223372036854775808", "-9223372036854775809", "1.5", "'x'", "None")) {
      program.expect("WrongValue: " + value + " for an element of \"longs\", must be a whole number from -2**63 to 2**63 - 1");
    }
    for (String value : List.of("'x'", "None", "1" + "0".repeat(400))) {
      program.expect("WrongValue: " + value + " for an element of \"doubles\", must be a double");
    }
    String range = " is 1180591620717411303424, must be from -2**63 to 2**63 - 1";
    program.expect("WrongValue: index" + range);
    program.expect("NoSuchElement: 6 elements from 15 of \"longs\", which has 20");
    expectTwice(program, "no error: None");
    program.expect("NoSuchElement: 0 elements from 21 of \"longs\", which has 20");
    program.expect("NoSuchElement: -1 elements from 20 of \"longs\", which has 20");
    program.expect("WrongValue: length" + range);
    program.expect("WrongValue: minipage_bytes is 9223372036854775808, must be from -2**63 to 2**63 - 1");
    program.expect("WrongValue: length is 0.5, must be a whole number");
    program.expect("WrongValue: the array's name is 7, must be a str");
    program.expect("WrongValue: the array's name of 65 bytes, must be from 1 to 64");
    for (String character : List.of("A", "0")) {
      for (int i = 0; i < 3; i++) {
        program.expect("WrongValue: a name with the character U+000" + character + " at index 1, must be printable characters");
      }
    }
    for (String length : List.of("0", "-1", "2305843009213693952")) {
      program.expect("WrongValue: an array of " + length + " elements, must have from 1 to 144115188075855871");
    }
    program.expect("WrongValue: a minipage of 0 bytes, must have 1 or more");
    program.expect("WrongValue: a minipage of -8 bytes, must have 1 or more");
    program.expect("WrongValue: a minipage of 7 bytes, must be a multiple of 8");
    program.expect("WrongValue: a minipage of 12 bytes, must be a multiple of 8");
    program.expect("WrongValue: a minipage of 4611686018427387904 bytes, must fit into weft.dsm.mmu.frames = 67108864");
    program.expect("WrongValue: the array's name has half of a surrogate pair at index 0, must be printable characters");
    program.expect("WrongValue: parties is 9223372036854775808, must be from -2**63 to 2**63 - 1");
    for (String parties : List.of("0", "-1", "1099511627776")) {
      program.expect("WrongValue: the barrier \"b\" of " + parties + " parties, must be from 1 to 65536 threads that meet");
    }
    program.expect("WrongValue: timeout_s is 'soon', must be seconds, or None to wait for ever");
    program.expect("WrongValue: timeout_s is not a number, must be seconds, or None to wait for ever");
    program.expect("WrongValue: timeout_s is 1" + "0".repeat(400) + ", must be seconds, or None to wait for ever");
    program.expect("WrongValue: the lock's name of 0 bytes, must be from 1 to 64");
    program.expect("acquired: 0");
    program.expect("acquired: 0");
    program.expect("elements: -1 20");
    for (int i = 0; i < 11; i++) {
      program.expect("DsmError: this memory was closed");
    }
    program.expect("DsmError: no node serves applications at /" + "x".repeat(200) + "/weft-dsm (AF_UNIX path too long); 'weft dsm serve' does");
    program.expect("(end)");
    assertEquals(0, program.process().waitFor());
  }

  private static void expectTwice(ApplicationProcess program, String line) throws InterruptedException {
    program.expect(line);
    program.expect(line);
  }

  @Test
  void shouldGiveLocksOfThreadsThatEndToOthersAndServeAnyNumberOfThemOneAfterTheOther() throws Exception {
    ApplicationProcess program = program(DIRECTORY.resolve("test/python/threads.py"), "300");
    program.expect("300 threads: []");
    program.expect("holder lost: True");
    program.expect("(end)");
    assertEquals(0, program.process().waitFor());
  }

  /** Otherwise the next request would get the reply to this one. */
  @Test
  void shouldWaitForAReplyWhateverTheProgramsTimeoutOfSocketsIs() throws Exception {
    ApplicationProcess program = program(DIRECTORY.resolve("test/python/patient.py"));
    program.expect("acquired after the other: True");
    program.expect("(end)");
    assertEquals(0, program.process().waitFor());
  }

  @Test
  void shouldConnectAThreadAnewAfterItsConnectionWasRefused() throws Exception {
    server.close();
    MmuSettings usual = MmuSettings.from(fabric.config());
    server = MmuServer.start(nodes.get(0), new MmuSettings(usual.framesBytes(), 1, 2, usual.farewellNs(), usual.holdNs()), temporary.resolve("two"));
    ApplicationProcess program = program(DIRECTORY.resolve("test/python/refused.py"));
    program.expect("refused: there are weft.dsm.mmu.connections = 2 already");
    program.expect("refused: there are weft.dsm.mmu.connections = 2 already");
    program.expect("acquired: True");
    program.expect("(end)");
    assertEquals(0, program.process().waitFor());
  }

  @Test
  void shouldNotTakeTheReplyToACallThatAnExceptionEndedForThatToTheNextCall() throws Exception {
    ApplicationProcess program = program(DIRECTORY.resolve("test/python/interrupted.py"));
    for (String exception : List.of("Late", "TimeoutError", "ConnectionResetError", "KeyboardInterrupt", "SystemExit")) {
      program.expect(exception + ": True (2, 2) 0"); // Others have "b" and do not get "mine", and "a" is free.
    }
    program.expect("wait: Late 2");
    program.expect("barrier: Late 0");
    program.expect("handler: a call of this thread waits for the node's reply; a signal handler cannot make another one meanwhile");
    program.expect("left behind: 0");
    program.expect("closed in a handler: this memory was closed");
    program.expect("acquired: 1");
    program.expect("(end)");
    assertEquals(0, program.process().waitFor());
  }

  @Test
  void shouldKeepTheMemoryOfAProcessWhoseChildrenEnd() throws Exception {
    ApplicationProcess program = program(DIRECTORY.resolve("test/python/forked.py"));
    for (int i = 0; i < 9; i++) {
      program.expect("this memory is of process PARENT; its child CHILD must make a Memory of its own");
    }
    program.expect("after a child that left: 8");
    program.expect("mine in a child: 2");
    program.expect("after one with a memory of its own: 9");
    program.expect("after a worker that failed with 1: 10");
    program.expect("executed: 11, mine 1");
    program.expect("after a child that executed another program: 11");
    program.expect("ready");
    server.close();
    program.expect("(end)");
    assertEquals(128 + 29, program.process().waitFor(), "the signal SIGIO ends it");
  }

  @Test
  void shouldLetAProgramGoOnThatDropsItsMemoryWithoutClosingIt() throws Exception {
    ApplicationProcess program = program(DIRECTORY.resolve("test/python/dropped.py"));
    program.expect("a Memory cannot be copied: its copy would close the same descriptors; pass the Memory itself");
    program.expect("words: [1, 2, 3]");
    program.expect("lock: 1"); // HOLDER_LOST
    program.expect("(end)");
    assertEquals(0, program.process().waitFor());
  }

  @Test
  void shouldLetAProgramThatHandlesSigioLeaveItsViewsBeforeItsNodeEnds() throws Exception {
    ApplicationProcess program = program(DIRECTORY.resolve("test/python/farewell.py"));
    program.expect("ready");
    Thread closing = Thread.ofPlatform().start(server::close);
    program.expect("told");
    program.tell("leave");
    program.expect("lives on");
    program.expect("(end)");
    assertEquals(0, program.process().waitFor());
    closing.join();
  }

  @Test
  void shouldCountTogetherWithProgramsInPython() throws Exception {
    Path example = DIRECTORY.resolve("main/python/example.py");
    ApplicationProcess one = program(example, "3", "200");
    ApplicationProcess other = program(example, "3", "200");
    Thread waiting = Thread.currentThread();
    for (ApplicationProcess program : List.of(one, other)) {
      program.process().onExit().thenAccept(ended -> {
        if (ended.exitValue() != 0) {
          waiting.interrupt(); // It does not come to the barrier.
        }
      });
    }
    DsmNode node = nodes.get(1);
    SharedLongs counts = node.longs("counts", 64, SharingUnit.bytes(128));
    node.barrier("begin", 3).await();
    DsmLock lock = node.lock("sum");
    for (int i = 0; i < 200; i++) {
      lock.acquire();
      counts.set(48, counts.get(48) + 1);
      lock.release();
    }
    node.barrier("end", 3).await();
    List<String> said = new ArrayList<>(List.of(one.answer(), other.answer()));
    Collections.sort(said);
    assertEquals(List.of("I am 0; counted 200, together 600", "I am 1; counted 200, together 600"), said);
    assertEquals(600, counts.get(48));
    assertEquals(400, counts.get(0) + counts.get(16));
    node.barrier("seen", 3).await();
    one.expect("(end)");
    other.expect("(end)");
  }

  private static boolean hasPython() throws InterruptedException {
    try {
      return new ProcessBuilder("python3", "-c", "import socket; socket.send_fds").start().waitFor() == 0;
    } catch (IOException none) {
      return false;
    }
  }
}
