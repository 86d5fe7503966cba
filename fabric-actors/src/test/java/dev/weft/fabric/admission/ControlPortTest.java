package dev.weft.fabric.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ControlPortTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();

  @Test
  void shouldBeTakenByOneOnly() throws Exception {
    for (boolean first : new boolean[] {false, true}) {
      try (ControlPort taken = ControlPort.take(HOST, 0, first)) {
        for (boolean second : new boolean[] {false, true}) {
          String text = assertThrows(ControlPort.TakenException.class, () -> ControlPort.take(HOST, taken.port(), second)).getMessage();
          assertTrue(text.contains("port " + taken.port() + " of 127.0.0.1 is taken"), text);
        }
      }
    }
  }

  @Test
  void shouldBeFreeAgainWhenClosed() throws Exception {
    int port;
    try (ControlPort taken = ControlPort.take(HOST, 0, false)) {
      port = taken.port();
    }
    ControlPort.take(HOST, port, true).close();
    ControlPort.take(HOST, port, false).close();
  }

  @Test
  void shouldRefuseWhatAnotherProgramHasOfEitherKind() throws Exception {
    try (DatagramSocket udp = new DatagramSocket(0, HOST); ServerSocket tcp = new ServerSocket(0, 1, HOST)) {
      assertThrows(ControlPort.TakenException.class, () -> ControlPort.take(HOST, udp.getLocalPort(), false));
      assertThrows(ControlPort.TakenException.class, () -> ControlPort.take(HOST, udp.getLocalPort(), true));
      assertThrows(ControlPort.TakenException.class, () -> ControlPort.take(HOST, tcp.getLocalPort(), false));
    }
  }

  /** Who joins a fabric without a secret finds nobody there, as it has to be; with one there is a socket for the desk. */
  @Test
  void shouldListenForADeskOnly() throws Exception {
    try (ControlPort port = ControlPort.take(HOST, 0, false)) {
      assertNull(port.desk());
      assertThrows(ConnectException.class, () -> new Socket(HOST, port.port()).close());
    }
    try (ControlPort port = ControlPort.take(HOST, 0, true)) {
      assertNotNull(port.desk());
      new Socket(HOST, port.port()).close();
    }
  }

  private static ControlPort firstFrom(int port) throws IOException {
    for (int next = port; ; next++) {
      try {
        return ControlPort.take(HOST, next, false);
      } catch (ControlPort.TakenException taken) {
        assertTrue(next < port + 100, "one of the next hundred is free");
      }
    }
  }

  @Test
  void shouldGiveEachOfThoseWhoComeAtOnceItsOwn() throws Exception {
    int from;
    try (ControlPort free = ControlPort.take(HOST, 0, false)) {
      from = free.port();
    }
    List<ControlPort> taken = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Callable<ControlPort>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        all.add(() -> firstFrom(from));
        all.add(() -> ControlPort.take(HOST, 0, false));
      }
      Set<Integer> ports = new HashSet<>();
      for (Future<ControlPort> one : threads.invokeAll(all)) {
        taken.add(one.get());
        ports.add(one.get().port());
      }
      assertEquals(taken.size(), ports.size());
    } finally {
      taken.forEach(ControlPort::close);
    }
  }
}
