package dev.weft.tripwire.connect;

import dev.weft.tripwire.Descriptor;
import dev.weft.tripwire.Endpoint;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.NicException;
import dev.weft.tripwire.RemoteAperture;
import dev.weft.tripwire.Status;
import dev.weft.tripwire.Tripwire;
import java.nio.ByteBuffer;

/**
 * A call that has come in. Nothing waits for the caller, who may have died since: {@link #request} says hello once his NIC has answered.
 * One thread at a time; how many there may be, and for how long, is the owner's matter.
 */
public final class Callee implements AutoCloseable {
  private final Nic nic;
  private final RemoteAperture peer;
  private final Mailbox mailbox;
  private final int lid;
  private boolean helloSaid;

  private Callee(Nic nic, int lid, Descriptor caller) {
    this.nic = nic;
    this.lid = lid;
    mailbox = new Mailbox(nic);
    try {
      peer = nic.mapNow(caller);
    } catch (NicException exhausted) {
      mailbox.close();
      throw exhausted;
    }
  }

  /** Whether a message is a call. */
  public static boolean isCall(Endpoint.Message message) {
    return message.status() == Status.OK && ByteBuffer.wrap(message.bytes()).getInt() == Caller.CALL;
  }

  /**
   * Answers a call.
   *
   * @throws NicException INVALID if it is none, or names memory of another host than the caller's, EXHAUSTED if this NIC has no aperture or Tripwire left
   */
  public static Callee of(Nic nic, Endpoint.Message call) {
    if (!isCall(call)) {
      throw new NicException(Status.INVALID, "a message from LID " + call.fromLid() + " is no call");
    }
    Descriptor caller = Descriptor.fromBytes(call.bytes(), 2 * Integer.BYTES);
    checkHost(call.fromLid(), caller);
    return new Callee(nic, call.fromLid(), caller);
  }

  private static void checkHost(int lid, Descriptor descriptor) {
    if (descriptor.lid() != lid) { // What is told of it would be said of a host that has not called.
      throw new NicException(Status.INVALID, "LID " + lid + " calls with memory of LID " + descriptor.lid() + "; it may name its own");
    }
  }

  /**
   * Checks what else a caller names.
   *
   * @throws NicException INVALID if it is memory of another host
   */
  public void check(Descriptor named) {
    checkHost(lid, named);
  }

  /** LID of the caller's NIC. */
  public int lid() {
    return lid;
  }

  /** Fires when it is worth calling {@link #request}. */
  public Tripwire ready() {
    return mailbox.ready();
  }

  /** The caller has been told where to write his block. Until then {@link #request} is called now and then: nothing fires. */
  public boolean hasSaidHello() {
    return helloSaid;
  }

  /** The caller's block, or null while it is not there. */
  public byte[] request() {
    if (!helloSaid && peer.status() == Status.OK && nic.hasAnswered(lid)) {
      helloSaid = Mailbox.sayHello(peer, mailbox);
    }
    return mailbox.code() == 0 ? null : mailbox.block();
  }

  /** Accepts; false if the NIC has no room, then it is called again. */
  public boolean accept(byte[] block) {
    Mailbox.checkBlock(block);
    return Mailbox.put(peer, Caller.ACCEPT, block);
  }

  /** Rejects, for a reason from 0 to 1000 of the application's; false as above. */
  public boolean reject(int reason) {
    return Mailbox.put(peer, Caller.REJECT + reason, new byte[0]);
  }

  /** OK while the caller is heard of, as far as this host knows. */
  public Status peerStatus() {
    return peer.status();
  }

  @Override
  public void close() {
    mailbox.close();
    peer.unmap();
  }
}
