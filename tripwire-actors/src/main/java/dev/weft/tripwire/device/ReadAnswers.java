package dev.weft.tripwire.device;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Payload;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.driver.ApertureMemory;
import dev.weft.tripwire.driver.ExportedAperture;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.util.ArrayDeque;

/** Answers to reads of other hosts, in turn, one burst each. Hardware thread. Bound: {@code answersMax}. */
final class ReadAnswers {
  private record Answer(int lid, ExportedAperture aperture, long offset, int length, int tag, int sent) {}

  private final NicCore core;
  private final int answersMax;
  private final ArrayDeque<Answer> answers = new ArrayDeque<>();

  ReadAnswers(NicCore core, int answersMax) {
    this.core = core;
    this.answersMax = answersMax;
  }

  /** Returns false if there is no room. */
  boolean add(int lid, ExportedAperture aperture, long offset, int length, int tag) {
    return answers.size() < answersMax && answers.add(new Answer(lid, aperture, offset, length, tag, 0));
  }

  /** Drops the answers to a host, 0 for all hosts. */
  void forget(int lid) {
    answers.removeIf(answer -> lid == 0 || answer.lid == lid);
  }

  /** Sends one burst of the oldest answer, then moves it to the end. Returns false if there is none, or it may not be sent. */
  boolean send() {
    Answer answer = answers.peek();
    if (answer == null || !core.maySendTo(answer.lid)) {
      return false;
    }
    answers.poll();
    ApertureMemory memory = answer.aperture.memory;
    long offset = answer.offset + answer.sent;
    long address = NetworkAddress.of(answer.aperture.number(), offset);
    Status status = answer.aperture.open ? memory.check(answer.offset, answer.length, Rights.READ) : Status.REVOKED;
    if (status != Status.OK) {
      core.refusals.refuse(answer.lid, Refusals.READ, status, address, answer.tag);
      return true;
    }
    Payload payload = memory.burst(offset, Math.min(core.burstMaxTo(answer.lid), answer.length - answer.sent));
    if (!payload.isPresent()) { // The mapped file was truncated.
      core.refusals.refuse(answer.lid, Refusals.READ, Status.REVOKED, address, answer.tag);
      return true;
    }
    core.stream.begin();
    int count = payload.length();
    boolean more = answer.sent + count < answer.length;
    core.transmit(Opcode.CLAN_READ_DATA, answer.lid, 0, (long) answer.tag << 32 | answer.sent, 0, payload, more, count);
    core.interruptIf(core.stream.end(Bank.LOCAL_READ, address, address + count, more));
    if (more) {
      answers.add(new Answer(answer.lid, answer.aperture, answer.offset, answer.length, answer.tag, answer.sent + count));
    } else {
      core.counters.readsAnswered++;
    }
    return true;
  }
}
