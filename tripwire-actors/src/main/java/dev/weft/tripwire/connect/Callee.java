package dev.weft.tripwire.connect;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import java.nio.ByteBuffer;

/**
 * An incoming call. No call here waits for the caller, which may have died: {@link #request} sends this mailbox's address once the caller's NIC has
 * answered. One thread at a time. The owner limits the number of calls and their time.
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
   * Accepts a call message.
   *
   * @throws NicException INVALID if it is not a call, or names memory of another host than the caller's; EXHAUSTED if this NIC has no aperture or
   *     Tripwire left
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
    if (descriptor.lid() != lid) { // Otherwise reports about it would concern a host that has not called.
      throw new NicException(Status.INVALID, "LID " + lid + " calls with memory of LID " + descriptor.lid() + "; it may name its own");
    }
  }

  /**
   * Checks another descriptor of the caller.
   *
   * @throws NicException INVALID if it names memory of another host
   */
  public void check(Descriptor named) {
    checkHost(lid, named);
  }

  /** LID of the caller's NIC. */
  public int lid() {
    return lid;
  }

  /** Fires when {@link #request} should be called. */
  public Tripwire ready() {
    return mailbox.ready();
  }

  /** Whether the caller has been told where to write its block. Until then call {@link #request} now and then, because nothing fires. */
  public boolean hasSaidHello() {
    return helloSaid;
  }

  /** The caller's block; null until it arrives. */
  public byte[] request() {
    if (!helloSaid && peer.status() == Status.OK && nic.hasAnswered(lid)) {
      helloSaid = Mailbox.sayHello(peer, mailbox);
    }
    return mailbox.code() == 0 ? null : mailbox.block();
  }

  /** Accepts the call; returns false if the NIC has no room: call again. */
  public boolean accept(byte[] block) {
    Mailbox.checkBlock(block);
    return Mailbox.put(peer, Caller.ACCEPT, block);
  }

  /** Rejects the call, with a reason of the application from 0 to 1000; returns false as {@link #accept}. */
  public boolean reject(int reason) {
    return Mailbox.put(peer, Caller.REJECT + reason, new byte[0]);
  }

  /** OK while this host knows of no loss of the caller. */
  public Status peerStatus() {
    return peer.status();
  }

  @Override
  public void close() {
    mailbox.close();
    peer.unmap();
  }
}
