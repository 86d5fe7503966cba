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

/** Where JVMs that want to join a fabric show that they know its secret, on the TCP port of the number of the control plane's UDP port. */
public final class AdmissionDesk implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdmissionDesk.class);
  private static final int BACKLOG = 16;
  /** Who is slow holds a place for {@link Lines#PATIENCE_MS}; those who find none try again. */
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
   * Listens.
   *
   * @throws IOException if the port is taken
   */
  public static AdmissionDesk open(InetAddress address, int port, FabricKeys keys) throws IOException {
    return open(new ServerSocket(port, BACKLOG, address), keys);
  }

  /** Listens at a socket that is bound already, and closes it in the end. */
  public static AdmissionDesk open(ServerSocket bound, FabricKeys keys) {
    AdmissionDesk desk = new AdmissionDesk(keys, bound);
    Thread.ofPlatform().daemon().name("weft-admission").start(desk::accept);
    return desk;
  }

  /** Where it listens. */
  public int port() {
    return socket.getLocalPort();
  }

  /** Who did not know the secret, since it was opened. Any thread. */
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
          LOG.warn("a JVM that wants to join could not be heard: {}", e.getMessage());
        }
        LockSupport.parkNanos(RETRY_NS); // No file descriptor is free, say; there may be one later.
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
        onRefusal(one.getInetAddress()); // Before it is told, so that who was refused finds itself counted.
      }
      lines.write(verdict);
    } catch (IOException gone) {
      LOG.debug("a JVM that wanted to join has gone: {}", gone.getMessage()); // Without a secret it does not answer the greeting.
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
