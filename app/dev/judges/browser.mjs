// Stands where a browser would be opened: has the address approved, and follows the way back to the client that waits
// for it on this machine.
const [approver, address] = process.argv.slice(2);
const approved = await fetch(approver, { method: 'POST', body: address });
const location = await approved.text();
if (!approved.ok) throw new Error(location);
const back = await fetch(location);
if (!back.ok) throw new Error(`the client answers ${back.status} to its callback: ${await back.text()}`);
