package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two addresses of the loopback network and a media driver for each, as on two hosts: the trunk between them is UDP. */
class TwoLoopbackHostsTest {
  private static final String HERE = "127.0.0.1";
  private static final String THERE = "127.0.0.2";

  @TempDir private Path directory;

  @BeforeAll
  static void needQemuIo() {
    TwoHosts.needQemuIo();
  }

  @Test
  @Timeout(240)
  void shouldServeTheMemoryOfAnotherHost() throws Exception {
    try (TwoHosts hosts = new TwoHosts(new WeftProcess(), new WeftProcess(), directory)) {
      String said = hosts.up(HERE);
      assertTrue(!said.contains("Warning"), said);
      hosts.writeAndRead(hosts.join(THERE));
      hosts.bothAreShown(HERE, THERE);
      hosts.downEndsBoth();
    }
  }

  /** The media drivers lose one received datagram in fifty, by Aeron's own test equipment. */
  @Test
  @Timeout(240)
  void shouldServeTheMemoryOfAnotherHostWhilePacketsAreLost() throws Exception {
    String lossy = "-Daeron.ReceiveChannelEndpoint.supplier=io.aeron.driver.ext.DebugReceiveChannelEndpointSupplier"
        + " -Daeron.debug.receive.data.loss.rate=0.02 -Daeron.debug.receive.data.loss.seed=4711";
    try (TwoHosts hosts = new TwoHosts(new WeftProcess(List.of(), lossy), new WeftProcess(List.of(), lossy), directory)) {
      hosts.up(HERE);
      hosts.writeAndRead(hosts.join(THERE));
      assertTrue(MediaDriverOf.retransmits(hosts.here()) > 0 && MediaDriverOf.retransmits(hosts.there()) > 0, "packets were lost");
    }
  }

  @Test
  @Timeout(180)
  void shouldTellAJvmWithOtherSettingsWhatWouldBeRight() throws Exception {
    try (TwoHosts hosts = new TwoHosts(new WeftProcess(), new WeftProcess(List.of(), "-Dweft.fabric.switch.virtual-lanes=8"), directory)) {
      hosts.up(HERE);
      WeftProcess.Answer answer = hosts.there().run("join", hosts.here().address(), "--memory=1M", "--bind=" + THERE);
      assertEquals(1, answer.exitCode(), answer.out() + answer.err());
      assertTrue(answer.err().contains("weft: weft.fabric.switch.virtual-lanes is 4 in the fabric and 8 here; set it to 4"), answer.err());
    }
  }

  /** 192.0.2.0/24 is for documentation: nobody has it. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "up --bind=192.0.2.1                          | --bind 192.0.2.1 is not an address of this host; choose one of ",
      "up --bind=0.0.0.0                            | other hosts have to reach this one at it; choose one of ",
      "up --bind=no-such-host.invalid               | nobody knows that name; choose one of ",
      "up --bind=::1                                | is not an IPv4 address; choose one of ",
      "join 127.0.0.1:25999 --bind=192.0.2.1        | --bind 192.0.2.1 is not an address of this host; choose one of ",
      "join 127.0.0.1:9 --memory=1M                 | no fabric listens at 127.0.0.1:9; './weft status' on its host shows where it does",
      "join no-such-host.invalid:25520 --memory=1M  | nobody knows the host 'no-such-host.invalid'"})
  @Timeout(60)
  void shouldSayWhatWouldBeRightAboutAddresses(String line, String expected) throws Exception {
    try (WeftProcess weft = new WeftProcess()) {
      WeftProcess.Answer answer = weft.run(line.split(" +"));
      assertEquals(1, answer.exitCode(), answer.out() + answer.err());
      assertTrue(answer.err().startsWith("weft: ") && answer.err().contains(expected), answer.err());
      assertEquals(1, answer.err().lines().count(), answer.err());
    }
  }
}
