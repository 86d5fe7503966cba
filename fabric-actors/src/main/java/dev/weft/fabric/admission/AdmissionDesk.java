package dev.weft.fabric.admission;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits JVMs to a fabric that prove that they know its secret. It listens on the TCP port with the same number as the control plane's UDP
 * port.
 */
public final class AdmissionDesk implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdmissionDesk.class);
  private static final int BACKLOG = 16;
  /** Largest number of connections at a time. A slow one holds its place for {@link Lines#PATIENCE_MS}; connections without a place are closed. */
  private static final int AT_A_TIME = 32;
  private static final long RETRY_NS = 100_000_000L;

  private final FabricKeys keys;
  private final ServerSocket socket;
  private final Semaphore places = new Semaphore(AT_A_TIME);
  private final AtomicLong refusals = new AtomicLong();
  private final SeldomLog seldom = new SeldomLog();

  private AdmissionDesk(FabricKeys keys, ServerSocket socket) {
    this.keys = keys;
    this.socket = socket;
  }

  /**
   * Starts to listen.
   *
   * @throws IOException if the port is taken
   */
  public static AdmissionDesk open(InetAddress address, int port, FabricKeys keys) throws IOException {
    return open(new ServerSocket(port, BACKLOG, address), keys);
  }

  /** Listens on a socket that is bound already; {@link #close} closes it. */
  public static AdmissionDesk open(ServerSocket bound, FabricKeys keys) {
    AdmissionDesk desk = new AdmissionDesk(keys, bound);
    Thread.ofPlatform().daemon().name("weft-admission").start(desk::accept);
    return desk;
  }

  /** Returns the port on which it listens. */
  public int port() {
    return socket.getLocalPort();
  }

  /** Returns how many requests it has refused, because the joiner did not know the secret. Any thread. */
  public long refusals() {
    return refusals.get();
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket one = socket.accept();
        if (places.tryAcquire()) {
          Thread.ofPlatform().daemon().name("weft-admission-one").start(() -> serveAndLeave(one));
        } else {
          one.close();
        }
      } catch (IOException e) {
        if (!socket.isClosed() && seldom.mayLog()) {
          LOG.warn("could not read the request of a JVM that wants to join: {}", e.getMessage());
        }
        LockSupport.parkNanos(RETRY_NS); // For example, no file descriptor is free now, but later one may be.
      }
    }
  }

  private void serveAndLeave(Socket one) {
    try (one) {
      Lines lines = new Lines(one);
      byte[] greeting = Admission.greeting();
      lines.write(greeting);
      byte[] request = lines.read(Admission.REQUEST_LENGTH);
      byte[] verdict = Admission.verdict(keys, greeting, request);
      if (!Admission.isAdmission(verdict)) {
        onRefusal(one.getInetAddress()); // Before the answer, so that a refused joiner already finds itself counted.
      }
      lines.write(verdict);
    } catch (IOException gone) {
      LOG.debug("a JVM that wanted to join closed its connection: {}", gone.getMessage()); // A joiner without a secret does not answer the greeting.
    } finally {
      places.release();
    }
  }

  private void onRefusal(InetAddress from) {
    long count = refusals.incrementAndGet();
    if (seldom.mayLog()) {
      LOG.warn("refused to let a JVM of {} join: its secret is not this fabric's ({} refusals so far)", from.getHostAddress(), count);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
