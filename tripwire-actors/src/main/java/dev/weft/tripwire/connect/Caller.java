package dev.weft.tripwire.connect;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import java.nio.ByteBuffer;

/** The calling side. One thread at a time; the owner limits the waiting time. */
public final class Caller implements AutoCloseable {
  /** The state of the call. */
  public enum State { CALLING, WAITING, ACCEPTED, REJECTED, FAILED }

  static final int CALL = 0x43414c4c;
  static final int ACCEPT = 1;
  /** A rejection's code is this plus the application's reason. */
  static final int REJECT = 2;

  private final Nic nic;
  private final Endpoint endpoint;
  private final int lid;
  private final int port;
  private final byte[] block;
  private final Mailbox mailbox;
  private RemoteAperture peer;
  private boolean messageSent;
  private State state = State.CALLING;
  private Status failure = Status.OK;

  /**
   * Calls the application that listens at {@code port} of another host.
   *
   * @param endpoint receives the refusal of the call; its owner passes it to {@link #refused}
   * @param block content of the call for the other side
   */
  public Caller(Nic nic, Endpoint endpoint, int lid, int port, byte[] block) {
    Mailbox.checkBlock(block);
    this.nic = nic;
    this.endpoint = endpoint;
    this.lid = lid;
    this.port = port;
    this.block = block.clone();
    mailbox = new Mailbox(nic);
  }

  public int lid() {
    return lid;
  }

  public int port() {
    return port;
  }

  /** Fires when {@link #step} should be called. */
  public Tripwire ready() {
    return mailbox.ready();
  }

  /** Continues as far as possible. */
  public State step() {
    try {
      while (advance()) {
        continue;
      }
    } catch (NicException refused) {
      fail(refused.status());
    }
    return state;
  }

  private boolean advance() {
    return switch (state) {
      case CALLING -> call();
      case WAITING -> hear();
      case ACCEPTED, REJECTED, FAILED -> false;
    };
  }

  private boolean call() {
    if (!messageSent) {
      byte[] message = ByteBuffer.allocate(Endpoint.MESSAGE_LENGTH).putInt(CALL).putInt(0).put(mailbox.descriptor().toBytes()).array();
      messageSent = endpoint.send(lid, port, message);
    }
    if (mailbox.code() >= REJECT) {
      return hear(); // The other side has answered without asking for the block.
    }
    Descriptor hello = mailbox.hello();
    if (hello == null) {
      return false;
    }
    if (peer == null) {
      peer = nic.map(hello);
    }
    if (!Mailbox.put(peer, ACCEPT, block)) {
      return false;
    }
    state = State.WAITING;
    return true;
  }

  private boolean hear() {
    int code = mailbox.code();
    if (code == 0) {
      failIfLost();
      return false;
    }
    state = code == ACCEPT ? State.ACCEPTED : State.REJECTED;
    return false;
  }

  private void failIfLost() {
    if (peer.status() != Status.OK) {
      fail(peer.status());
    }
  }

  private void fail(Status status) {
    state = State.FAILED;
    failure = status;
  }

  /** The endpoint reports that the message was refused. */
  public void refused(Status status) {
    if (state == State.CALLING) {
      fail(status);
    }
  }

  /** Why the call has failed. */
  public Status failure() {
    return failure;
  }

  /** The other side's reason, once the call is rejected. */
  public int reason() {
    return mailbox.code() - REJECT;
  }

  /** The other side's block, once the call is accepted. */
  public byte[] answer() {
    return mailbox.block();
  }

  /** OK while this host knows of no loss of the other one. */
  public Status peerStatus() {
    return peer == null ? Status.OK : peer.status();
  }

  @Override
  public void close() {
    mailbox.close();
    if (peer != null) {
      peer.unmap();
    }
  }
}
