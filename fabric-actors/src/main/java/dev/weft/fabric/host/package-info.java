/**
 * The hosts of virtual time (design sections 4 and 5): hardware profiles, the processors of a host with their interrupts, task queues
 * and scheduler, the host channel adapter with its bus, and load for both clocks. Sources: Kernel DSM paper, section 5 and Table 1 for receive
 * contexts; the other profiles name theirs.
 *
 * <p>Every {@code profiles/NAME.conf} says where each number comes from: {@code row: ID} is a row of {@code figures.csv} that may be
 * used for calibration, {@code seed NNN section N} is the text of a paper, {@code source:} is other public knowledge, {@code assumed}
 * is our guess. Columns of {@code figures.csv}: id; seed, the paper's number; where in it; subject of the measurement; its
 * configuration; metric; value; unit; use, which is {@code calibrate} for what a profile may be fitted to, {@code predict} for what
 * only the running code may answer, {@code reference} for what others measured. A test holds profiles and code to that.
 *
 * <p>Invariants: everything here that is charged depends on the profile, the messages and their order only; nothing is drawn.
 */
package dev.weft.fabric.host;
